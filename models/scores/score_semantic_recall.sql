with

prediction_verdicts as (

    select * from {{ ref('prediction_verdicts') }}

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
        prediction_verdicts.prediction_id,
        coalesce(prediction_verdicts.ex, false) as is_ex_passing,
        case
            when prediction_verdicts.is_executed then recalls.semantic_recall
            when prediction_verdicts.is_judged and empty_golds.question_id is null then 0.0
        end as semantic_recall,
    from prediction_verdicts
    left join recalls on prediction_verdicts.prediction_id = recalls.prediction_id
    left join empty_golds
        on prediction_verdicts.benchmark = empty_golds.benchmark
        and prediction_verdicts.question_id = empty_golds.question_id
        and prediction_verdicts.gold_edition = empty_golds.gold_edition

)

select
    prediction_id,
    semantic_recall,
    case when not is_ex_passing then semantic_recall end as semantic_recall_failing,
from scored
