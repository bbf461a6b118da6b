with

prediction_verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

exact_match as (

    select * from {{ ref('score_exact_match') }}

),

semantic_recall as (

    select * from {{ ref('score_semantic_recall') }}

),

scored as (

    select
        prediction_verdicts.prediction_id,
        case
            when not prediction_verdicts.is_judged then null
            when not coalesce(prediction_verdicts.ex, false) then false
            else exact_match.em is distinct from true or semantic_recall.semantic_recall < 1
        end as sd_op,
        coalesce(prediction_verdicts.ex, false) as is_ex_passing,
        prediction_verdicts.is_executed,
    from prediction_verdicts
    left join exact_match on prediction_verdicts.prediction_id = exact_match.prediction_id
    left join semantic_recall on prediction_verdicts.prediction_id = semantic_recall.prediction_id

)

select
    prediction_id,
    sd_op,
    case when is_executed then sd_op end as sd_op_executed,
    is_ex_passing,
from scored
