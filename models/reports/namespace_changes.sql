with

scores as (

    select * from {{ ref('score_namespace') }}

),

verdicts as (

    select * from {{ ref('prediction_verdicts') }}
    where is_judged

),

predictions as (

    select * from {{ ref('predictions') }}

),

counted as (

    select
        predictions.prediction_set,
        predictions.benchmark,
        predictions.namespace,
        count(*) as n_judged,
        count(*) filter (where scores.n_tables_outside > 0) as n_reading_outside,
        count(*) filter (where verdicts.ex_set) as n_ex_set,
        count(*) filter (where verdicts.ex_set and not scores.ex_set_namespace) as n_changed_ex_set,
        count(*) filter (where verdicts.ex) as n_ex,
        count(*) filter (where verdicts.ex and not scores.ex_namespace) as n_changed_ex,
    from scores
    inner join verdicts on scores.prediction_id = verdicts.prediction_id
    inner join predictions on scores.prediction_id = predictions.prediction_id
    group by predictions.prediction_set, predictions.benchmark, predictions.namespace

)

select
    *,
    n_changed_ex_set / nullif(n_ex_set, 0) as share_changed_ex_set,
    n_changed_ex / nullif(n_ex, 0) as share_changed_ex,
from counted
