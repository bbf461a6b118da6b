select
    prediction_id,
    case when is_judged then is_generated end as generation_rate,
    case when is_judged then is_executed end as execution_rate,
from {{ ref('prediction_verdicts') }}
