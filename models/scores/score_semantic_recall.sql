with

execution_match as (

    select * from {{ ref('execution_match') }}

),

comparison_verdicts as (

    select * from {{ ref('comparison_verdicts') }}

),

empty_golds as (

    -- Recall of nothing is nothing: NULL for every prediction, whether it ran or not.
    select
        benchmark,
        question_id,
        gold_edition,
    from {{ ref('gold_outcomes') }}
    where outcome = 'answered'
    group by benchmark, question_id, gold_edition
    having bool_and(n_rows = 0)

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
            when execution_match.is_judged and empty_golds.question_id is null then 0.0
        end as semantic_recall,
    from execution_match
    left join recalls on execution_match.prediction_id = recalls.prediction_id
    left join empty_golds
        on execution_match.benchmark = empty_golds.benchmark
        and execution_match.question_id = empty_golds.question_id
        and execution_match.gold_edition = empty_golds.gold_edition

)

select * from scored
