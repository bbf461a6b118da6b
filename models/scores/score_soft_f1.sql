with

prediction_verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

comparison_verdicts as (

    select * from {{ ref('comparison_verdicts') }}
    where pair_id is not null

),

pairs as (

    select * from {{ ref('result_pairs') }}

),

pair_soft_f1 as (

    select * from {{ ref('pair_soft_f1') }}

),

best as (

    select
        comparison_verdicts.prediction_id,
        max(case when pairs.are_same_result or pairs.are_both_empty then 1.0 else pair_soft_f1.soft_f1 end) as soft_f1,
        max(case when pairs.are_same_result or pairs.are_both_empty then 1.0 else pair_soft_f1.soft_f1_by_position end)
            as soft_f1_by_position,
    from comparison_verdicts
    inner join pairs on comparison_verdicts.pair_id = pairs.pair_id
    left join pair_soft_f1 on comparison_verdicts.pair_id = pair_soft_f1.pair_id
    group by comparison_verdicts.prediction_id

),

scored as (

    select
        prediction_verdicts.prediction_id,
        case
            when prediction_verdicts.is_executed then best.soft_f1
            when prediction_verdicts.is_judged then 0.0
        end as soft_f1,
        case
            when prediction_verdicts.is_executed then best.soft_f1_by_position
            when prediction_verdicts.is_judged then 0.0
        end as soft_f1_by_position,
    from prediction_verdicts
    left join best on prediction_verdicts.prediction_id = best.prediction_id

)

select * from scored
