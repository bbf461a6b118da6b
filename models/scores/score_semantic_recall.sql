with

execution_match as (

    select * from {{ ref('execution_match') }}

),

comparison_verdicts as (

    select * from {{ ref('comparison_verdicts') }}

),

recalls as (

    select
        prediction_id,
        max(case
            when n_gold_rows = 0 and n_predicted_rows = 0 then 1.0
            when n_gold_rows = 0 then null
            else n_common_rows / n_gold_rows::double
        end) as semantic_recall,
    from comparison_verdicts
    where pair_id is not null
    group by prediction_id

),

scored as (

    select
        execution_match.prediction_id,
        case
            when execution_match.is_executed then recalls.semantic_recall
            when execution_match.is_judged then 0.0
        end as semantic_recall,
    from execution_match
    left join recalls on execution_match.prediction_id = recalls.prediction_id

)

select * from scored
