with

predictions as (

    select * from {{ ref('execution_match') }}
    where is_judged

)

select
    prediction_set,
    benchmark,
    ex_set,
    ex,
    reason,
    count(*) as n_predictions,
from predictions
where ex is distinct from ex_set
group by prediction_set, benchmark, ex_set, ex, reason
order by prediction_set, benchmark, n_predictions desc, reason
