with

predictions as (

    select * from {{ ref('predictions') }}

),

waves as (

    select * from {{ ref('prediction_waves') }}
    where is_chosen

),

golds as (

    select * from {{ ref('gold_outcomes') }}

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}

),

comparisons as (

    select
        predictions.prediction_id,
        golds.gold_id,
        golds.gold_number,
        golds.statement_id as gold_statement_id,
        golds.wave_id,
        golds.outcome as gold_outcome,
        golds.result_id as gold_result_id,
        golds.order_rule,
        golds.order_id,
        golds.is_order_asked,
        golds.is_limit_tie,
        golds.is_order_unkept,
        golds.is_limited,
        golds.is_row_sensitive as is_gold_row_sensitive,
        golds.is_float_sensitive as is_gold_float_sensitive,
        golds.variant as gold_variant,
        predictions.statement_id as predicted_statement_id,
        outcomes.outcome as predicted_outcome,
        outcomes.result_id as predicted_result_id,
        outcomes.is_row_sensitive as is_predicted_row_sensitive,
        outcomes.is_float_sensitive as is_predicted_float_sensitive,
        outcomes.variant as predicted_variant,
    from predictions
    left join waves on predictions.prediction_id = waves.prediction_id
    inner join golds
        on predictions.benchmark = golds.benchmark
        and predictions.question_id = golds.question_id
        and predictions.gold_edition = golds.gold_edition
        -- On a live database, within one wave; what gold stands in a file belongs to every wave.
        and (golds.statement_id is null or golds.wave_id is not distinct from waves.wave_id)
    left join outcomes
        on predictions.statement_id = outcomes.statement_id
        and waves.wave_id is not distinct from outcomes.wave_id

)

select * from comparisons
