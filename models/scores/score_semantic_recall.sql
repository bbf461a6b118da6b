with

prediction_verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

comparison_verdicts as (

    select * from {{ ref('comparison_verdicts') }}

),

golds as (

    select * from {{ ref('gold_outcomes') }}
    where outcome = 'answered'

),

without_recall as (

    -- Recall of nothing is nothing: NULL for every prediction, whether it ran or not. On a live database gold may be
    -- empty in one wave and not in another.
    select prediction_verdicts.prediction_id
    from prediction_verdicts
    inner join golds
        on prediction_verdicts.benchmark = golds.benchmark
        and prediction_verdicts.question_id = golds.question_id
        and prediction_verdicts.gold_edition = golds.gold_edition
        and (golds.wave_id = prediction_verdicts.wave_id or golds.wave_id is null or prediction_verdicts.wave_id is null)
    where prediction_verdicts.is_judged and not prediction_verdicts.is_executed
    group by prediction_verdicts.prediction_id
    having bool_and(golds.n_rows = 0)

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
            when prediction_verdicts.is_judged and without_recall.prediction_id is null then 0.0
        end as semantic_recall,
    from prediction_verdicts
    left join recalls on prediction_verdicts.prediction_id = recalls.prediction_id
    left join without_recall on prediction_verdicts.prediction_id = without_recall.prediction_id

)

select
    prediction_id,
    semantic_recall,
    case when not is_ex_passing then semantic_recall end as semantic_recall_failing,
from scored
