with

verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

pairs as (

    select * from {{ ref('divergence_pairs') }}

),

results as (

    select * from {{ ref('divergence_results') }}

),

scored as (

    select
        verdicts.prediction_id,
        coalesce(verdicts.ex, false) as is_ex_passing,
        pairs.divergence_id,
        case
            when pairs.is_same_statement then 'stays_equal'
            else results.outcome
        end as divergence_outcome,
        case when not pairs.is_same_statement then results.kind end as kind,
    from verdicts
    left join pairs on verdicts.prediction_id = pairs.prediction_id
    left join results on pairs.divergence_id = results.divergence_id

)

select
    prediction_id,
    case
        when divergence_outcome = 'diverges' then true
        when divergence_outcome in ('stays_equal', 'diverges_beyond_data') then false
    end as sd_auto,
    is_ex_passing,
    divergence_id,
    divergence_outcome,
    kind,
from scored
