with

landed as (

    select * from {{ source('landing', 'embedding_attempts') }}

),

once as (

    select
        attempt_id,
        encoder,
        revision,
        embedding_ids,
        n_texts,
        outcome,
        is_counted,
        is_permanent,
        error,
        error_kind,
        http_status,
        retry_after_s,
        n_prompt_tokens,
        cost_usd,
        price_source,
        answering_model,
        response_json,
        elapsed_ms,
        attempted_at,
    from landed
    qualify row_number() over (partition by attempt_id order by landed_at desc) = 1

)

select * from once
