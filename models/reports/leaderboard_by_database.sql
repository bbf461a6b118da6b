select
    benchmark,
    protocol,
    metric,
    slice as db_id,
    rank() over (partition by benchmark, protocol, metric, slice order by value desc) as place,
    prediction_set,
    value,
    numerator,
    denominator,
    ci_low,
    ci_high,
from {{ ref('metric_intervals') }}
where slice_by = 'database'
order by benchmark, protocol, metric, db_id, place, prediction_set
