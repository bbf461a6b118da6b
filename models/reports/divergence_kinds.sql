with

scores as (

    select * from {{ ref('score_automatic_divergence') }}
    where is_ex_passing

),

predictions as (

    select * from {{ ref('prediction_verdicts') }}

),

checked as (

    select
        predictions.prediction_set,
        predictions.benchmark,
        coalesce(scores.divergence_outcome, 'not_checked') as outcome,
        scores.kind,
    from scores
    inner join predictions on scores.prediction_id = predictions.prediction_id

),

counted as (

    select
        prediction_set,
        benchmark,
        outcome,
        kind,
        count(*) as n_predictions,
    from checked
    group by prediction_set, benchmark, outcome, kind

)

select
    prediction_set,
    benchmark,
    outcome,
    kind,
    n_predictions,
    n_predictions / sum(n_predictions) over (partition by prediction_set, benchmark) as share,
from counted
order by prediction_set, benchmark, n_predictions desc, outcome, kind
