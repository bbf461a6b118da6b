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
    ci_low,
    ci_high,
    ci_low_clustered,
    ci_high_clustered,
    clustering_reason,
from {{ ref('metric_intervals') }}
where slice_by = 'spider_hardness'
order by benchmark, protocol, metric, spider_hardness, place, prediction_set
