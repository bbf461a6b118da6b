select
    benchmark,
    coalesce(model, prediction_set) as model,
    prompt_setting,
    tier,
    prediction_set,
    n_questions,
    n_executed,
    execution_rate,
    execution_rate_low,
    execution_rate_high,
    ex_executed,
    ex_executed_low,
    ex_executed_high,
    ex_all,
    ex_all_low,
    ex_all_high,
from {{ ref('tier_results') }}
order by benchmark, model, prompt_setting, tier
