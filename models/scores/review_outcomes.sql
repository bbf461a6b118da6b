with

reviews as (

    select * from {{ ref('stg_task_reviews') }}

),

rounds as (

    -- What the annotators of a round agree on, if they do.
    select
        benchmark,
        task_id,
        review_round,
        count(distinct reviewer) as n_reviewers,
        count(distinct decision) = 1 and count(distinct reviewer) > 1 as is_agreed,
        min(decision) as decision,
    from reviews
    where role = 'annotator'
    group by benchmark, task_id, review_round

),

last_words as (

    -- Of several the later round counts; of two in one round none, unless they say the same.
    select
        benchmark,
        task_id,
        role,
        review_round,
        case when count(distinct decision) = 1 then min(decision) end as decision,
    from reviews
    where role <> 'annotator'
    group by benchmark, task_id, role, review_round
    qualify row_number() over (partition by benchmark, task_id, role order by review_round desc) = 1

),

tasks as (

    select distinct
        benchmark,
        task_id,
    from reviews

),

side_by_side as (

    select
        tasks.benchmark,
        tasks.task_id,
        coalesce(first_round.n_reviewers, 0) as n_reviewers,
        coalesce(first_round.is_agreed, false) as is_agreed_at_once,
        case when first_round.is_agreed then first_round.decision end as first_decision,
        case when second_round.is_agreed then second_round.decision end as second_decision,
        discussions.decision as discussed_decision,
        seniors.decision as senior_decision,
    from tasks
    left join rounds as first_round
        on tasks.benchmark = first_round.benchmark
        and tasks.task_id = first_round.task_id
        and first_round.review_round = 1
    left join rounds as second_round
        on tasks.benchmark = second_round.benchmark
        and tasks.task_id = second_round.task_id
        and second_round.review_round = 2
    left join last_words as discussions
        on tasks.benchmark = discussions.benchmark
        and tasks.task_id = discussions.task_id
        and discussions.role = 'discussion'
    left join last_words as seniors
        on tasks.benchmark = seniors.benchmark
        and tasks.task_id = seniors.task_id
        and seniors.role = 'senior'

),

decided as (

    select
        benchmark,
        task_id,
        n_reviewers,
        is_agreed_at_once,
        coalesce(senior_decision, discussed_decision, second_decision, first_decision) as decision,
        case
            when senior_decision is not null then 'senior'
            when discussed_decision is not null then 'discussion'
            when second_decision is not null then 'second_round'
            when first_decision is not null then 'first_round'
            else 'open'
        end as decided_by,
    from side_by_side

)

select * from decided
