with

predictions as (

    select * from {{ ref('execution_match') }}

),

in_namespaces as (

    select * from {{ ref('score_namespace') }}

),

splits as (

    select * from {{ ref('question_splits') }}
    where split = 'calibration'

),

mistakes as (

    select
        predictions.prediction_id,
        predictions.prediction_set,
        predictions.benchmark,
        predictions.question_id,
        predictions.sample,
        predictions.db_id,
        predictions.outcome,
        predictions.reason,
        predictions.ex_set,
        predictions.ex,
        predictions.ex_projection,
        predictions.ex_tolerant,
        predictions.is_executed,
        predictions.matched_gold_id as gold_id,
        predictions.pair_id,
        predictions.sql_id,
    from predictions
    inner join splits
        on predictions.benchmark = splits.benchmark
        and predictions.question_id = splits.question_id
    left join in_namespaces
        on coalesce(predictions.derived_from_prediction_id, predictions.prediction_id) = in_namespaces.prediction_id
    -- The paper's own measure: sets of rows, and in a pool of databases only tables of gold's.
    where predictions.is_judged and not coalesce(in_namespaces.ex_set_namespace, predictions.ex_set, false)

)

select * from mistakes
