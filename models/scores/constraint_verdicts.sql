with

constraints as (

    select * from {{ ref('stg_question_constraints') }}

),

verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

supplementary as (

    select * from {{ ref('supplementary_verdicts') }}

),

tested as (

    select
        verdicts.prediction_id,
        verdicts.prediction_set,
        verdicts.benchmark,
        verdicts.question_id,
        verdicts.sample,
        verdicts.ex,
        constraints.constraint_number,
        constraints.kind,
        case
            when not constraints.is_activated or supplementary.prediction_id is null then 'not_testable'
            when supplementary.instance_outcome is null or supplementary.instance_outcome in ('waiting', 'not_run')
                then 'not_run'
            when not supplementary.is_instance_judged then 'not_testable'
            when supplementary.instance_ex then 'held'
            when supplementary.instance_ex is null then 'undecided'
            else 'violated'
        end as status,
        case
            when not constraints.is_activated then 'not_activated'
            when supplementary.prediction_id is null then 'no_instance'
            when not coalesce(supplementary.instance_ex, false) then supplementary.instance_reason
        end as reason,
    from verdicts
    inner join constraints
        on verdicts.benchmark = constraints.benchmark
        and verdicts.question_id = constraints.question_id
    left join supplementary on verdicts.prediction_id = supplementary.prediction_id
    where verdicts.is_judged

)

select * from tested
