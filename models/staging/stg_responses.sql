with

landed as (

    select * from {{ source('landing', 'responses') }}

),

once as (

    select
        request_id,
        attempt_id,
        purpose,
        model,
        coalesce(attempt_number, 1) as attempt_number,
        outcome,
        coalesce(is_permanent, false) as is_permanent,
        response_text,
        error,
        error_kind,
        http_status,
        retry_after_s,
        finish_reason,
        n_prompt_tokens,
        n_cached_tokens,
        n_completion_tokens,
        n_reasoning_tokens,
        cost_usd,
        price_source,
        answering_model,
        provider_response_id,
        request_json,
        response_json,
        elapsed_ms,
        responded_at,
    from landed
    qualify row_number() over (partition by request_id, attempt_id order by landed_at desc) = 1

)

select * from once
