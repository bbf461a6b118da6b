with

predictions as (

    select * from {{ ref('execution_match') }}

),

counted as (

    select
        prediction_set,
        benchmark,
        outcome,
        reason,
        count(*) as n_predictions,
    from predictions
    group by prediction_set, benchmark, outcome, reason

)

select
    prediction_set,
    benchmark,
    outcome,
    reason,
    n_predictions,
    n_predictions / sum(n_predictions) over (partition by prediction_set, benchmark) as share,
from counted
order by prediction_set, benchmark, n_predictions desc, reason
