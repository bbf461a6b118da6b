select
    benchmark,
    protocol,
    metric,
    slice as difficulty,
    rank() over (partition by benchmark, protocol, metric, slice order by value desc) as place,
    prediction_set,
    value,
    numerator,
    denominator,
from {{ ref('metric_values') }}
where slice_by = 'difficulty'
order by benchmark, protocol, metric, difficulty, place, prediction_set
