select
    benchmark,
    protocol,
    metric,
    slice as spider_hardness,
    rank() over (partition by benchmark, protocol, metric, slice order by value desc) as place,
    prediction_set,
    value,
    numerator,
    denominator,
from {{ ref('metric_values') }}
where slice_by = 'spider_hardness'
order by benchmark, protocol, metric, spider_hardness, place, prediction_set
