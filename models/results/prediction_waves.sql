with

predictions as (

    select * from {{ ref('predictions') }}
    where statement_id is not null

),

golds as (

    select distinct
        benchmark,
        question_id,
        gold_edition,
    from {{ ref('gold_outcomes') }}
    where statement_id is not null

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}
    where wave_id is not null

),

question_waves as (

    select * from {{ ref('question_waves') }}
    where wave_id is not null

),

counted as (

    -- Without golds to run there is nothing that could be incomplete.
    select
        predictions.prediction_id,
        outcomes.wave_id,
        predictions.statement_id,
        coalesce(question_waves.is_scoreable, false) as is_scoreable,
        outcomes.outcome,
        outcomes.error_class,
        outcomes.timeout_ms,
        outcomes.executed_at,
    from predictions
    inner join outcomes on predictions.statement_id = outcomes.statement_id
    left join golds
        on predictions.benchmark = golds.benchmark
        and predictions.question_id = golds.question_id
        and predictions.gold_edition = golds.gold_edition
    left join question_waves
        on predictions.benchmark = question_waves.benchmark
        and predictions.question_id = question_waves.question_id
        and predictions.gold_edition = question_waves.gold_edition
        and outcomes.wave_id = question_waves.wave_id
    where question_waves.wave_id is not null or golds.question_id is null

),

ranked as (

    -- A wave in which the question can be scored before one in which it cannot, then the rule of `executions`.
    select
        *,
        row_number() over (
            partition by prediction_id
            order by
                is_scoreable desc,
                (outcome = 'answered') desc,
                timeout_ms desc,
                executed_at desc,
                wave_id asc
        ) = 1 as is_chosen,
    from counted

)

select * from ranked
