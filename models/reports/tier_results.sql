select
    benchmark,
    prediction_set,
    model,
    prompt_setting,
    case slice_by when 'all' then 'all' else slice end as tier,
    * exclude (benchmark, prediction_set, model, prompt_setting, slice_by, slice),
from {{ ref('enterprise_rates') }}
where slice_by in ('tier', 'all')
order by benchmark, prediction_set, tier
