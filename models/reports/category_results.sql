select
    benchmark,
    prediction_set,
    model,
    prompt_setting,
    case when starts_with(slice_by, 'tier_and_') then split_part(slice, ' ', 1) else 'all' end as tier,
    replace(slice_by, 'tier_and_', '') as category_level,
    case when starts_with(slice_by, 'tier_and_') then split_part(slice, ' ', 2) else slice end as category,
    * exclude (benchmark, prediction_set, model, prompt_setting, slice_by, slice),
from {{ ref('enterprise_rates') }}
where slice_by in ('category_group', 'category', 'tier_and_category_group', 'tier_and_category')
order by benchmark, prediction_set, tier, category_level, category
