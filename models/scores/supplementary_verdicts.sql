with

verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

instances as (

    select
        benchmark,
        question_id,
        base_benchmark,
    from {{ ref('placed_questions') }}
    where base_benchmark is not null

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}

),

results as (

    select * from {{ ref('results') }}

),

paired as (

    select
        base.prediction_id,
        base.prediction_set,
        base.benchmark,
        base.question_id,
        base.sample,
        base.gold_edition,
        base.is_judged,
        base.is_executed,
        base.ex,
        instances.benchmark as instance_benchmark,
        there.outcome as instance_outcome,
        there.reason as instance_reason,
        there.is_judged as is_instance_judged,
        there.ex as instance_ex,
        results.multiset_signature as instance_signature,
    from verdicts as base
    inner join instances
        on base.benchmark = instances.base_benchmark
        and base.question_id = instances.question_id
    left join verdicts as there
        on base.prediction_set = there.prediction_set
        and base.sample = there.sample
        and instances.benchmark = there.benchmark
        and instances.question_id = there.question_id
    left join outcomes
        on there.statement_id = outcomes.statement_id
        and there.wave_id is not distinct from outcomes.wave_id
    left join results on outcomes.result_id = results.result_id

)

select * from paired
