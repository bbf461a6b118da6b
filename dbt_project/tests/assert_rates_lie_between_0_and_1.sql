-- Every value is its numerator over its denominator, and lies between 0 and 1.
select
    prediction_set,
    benchmark,
    protocol,
    metric,
    slice_by,
    slice,
    value,
from {{ ref('metric_values') }}
where
    value < 0
    or value > 1
    or denominator <= 0
    or abs(value - numerator / denominator) > 1e-9
