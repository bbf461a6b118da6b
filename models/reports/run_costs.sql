with

requests as (

    select distinct
        prediction_set,
        benchmark,
        model,
        request_id,
    from {{ ref('requests') }}
    where not is_planned

),

responses as (

    select * from {{ ref('stg_responses') }}

),

attempted as (

    select
        requests.*,
        responses.attempt_id,
        responses.outcome,
        responses.outcome in ('answered', 'truncated') as has_answer,
        responses.n_prompt_tokens,
        responses.n_cached_tokens,
        responses.n_completion_tokens,
        responses.n_reasoning_tokens,
        responses.cost_usd,
        -- A control costs nothing, and a call that failed before the model said anything is taken to.
        not starts_with(requests.model, 'control/')
        and responses.cost_usd is null
        and (
            responses.outcome in ('answered', 'truncated')
            or responses.n_prompt_tokens is not null
            or responses.n_completion_tokens is not null
        ) as is_unpriced,
        responses.elapsed_ms,
    from requests
    left join responses on requests.request_id = responses.request_id

),

summed as (

    select
        prediction_set,
        benchmark,
        min(model) as model,
        count(distinct request_id) as n_requests,
        count(distinct request_id) filter (where has_answer) as n_answered_requests,
        count(attempt_id) as n_attempts,
        count(*) filter (where outcome = 'failed') as n_failures,
        count(*) filter (where outcome = 'truncated') as n_truncated,
        sum(n_prompt_tokens)::bigint as n_prompt_tokens,
        sum(n_cached_tokens)::bigint as n_cached_tokens,
        sum(n_completion_tokens)::bigint as n_completion_tokens,
        sum(n_reasoning_tokens)::bigint as n_reasoning_tokens,
        count(*) filter (where is_unpriced) as n_unpriced,
        -- Sums of fractions differ in their last digits with the order they are made in.
        round(coalesce(sum(cost_usd), 0), 9) as priced_usd,
        round(quantile_cont(elapsed_ms, 0.5) filter (where has_answer), 3) as p50_elapsed_ms,
        round(quantile_cont(elapsed_ms, 0.95) filter (where has_answer), 3) as p95_elapsed_ms,
    from attempted
    group by prediction_set, benchmark

)

select
    prediction_set,
    benchmark,
    model,
    n_requests,
    n_answered_requests,
    n_attempts,
    n_failures,
    n_truncated,
    n_prompt_tokens,
    n_cached_tokens,
    n_completion_tokens,
    n_reasoning_tokens,
    case when n_unpriced = 0 then priced_usd end as cost_usd,
    n_unpriced,
    p50_elapsed_ms,
    p95_elapsed_ms,
from summed
order by prediction_set, benchmark
