select
    prediction_set,
    benchmark,
    protocol,
    metric,
    slice_by,
    slice,
    value,
    numerator,
    denominator,
from {{ ref('metric_slices') }}
