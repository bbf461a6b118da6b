with

questions as (

    select * from {{ ref('history_questions') }}

),

items as (

    select * from {{ ref('history_task_items') }}

),

counted as (

    select
        task_set,
        question_id,
        count(*) as n_items,
        count(*) filter (where not is_frequent) as n_rare_items,
        count(distinct knowledge_type) as n_types,
    from items
    group by task_set, question_id

),

tasks as (

    select
        questions.task_set,
        questions.benchmark,
        questions.question_id,
        questions.question_position,
        questions.history,
        questions.db_id,
        questions.question,
        questions.evidence,
        questions.own_query_id,
        questions.asked_at,
        counted.n_items,
        counted.n_rare_items,
        counted.n_types,
    from questions
    inner join counted
        on questions.task_set = counted.task_set
        and questions.question_id = counted.question_id

)

select * from tasks
