with

responses as (

    select * from {{ ref('stg_responses') }}

),

read as (

    select
        *,
        case when outcome = 'answered' then extract_sql(response_text) end as extraction,
        -- Key, address, purse or a setting were at fault, not the request: glue's attempts.UNCOUNTED.
        coalesce(error_kind in ('authentication', 'not_found', 'quota', 'refused_setting'), false) as is_uncounted,
    from responses

),

ranked as (

    -- The first answer with SQL counts; else one that was cut off, else one without SQL, else the newest failure
    -- of the request's own making: without one it still waits.
    select
        request_id,
        attempt_id,
        attempt_number,
        outcome,
        is_permanent,
        response_text,
        extraction.sql as predicted_sql,
        extraction.steps as extraction,
        responded_at,
        row_number() over (
            partition by request_id
            order by
                case
                    when extraction.sql is not null then 1
                    when outcome = 'truncated' then 2
                    when outcome = 'answered' then 3
                    when not is_uncounted then 4
                    else 5
                end,
                case when outcome = 'failed' then -epoch_us(responded_at) else epoch_us(responded_at) end,
                attempt_id
        ) = 1 and not is_uncounted as is_chosen,
    from read

)

select * from ranked
