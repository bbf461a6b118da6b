with

responses as (

    select * from {{ ref('stg_responses') }}

),

read as (

    select
        *,
        case when outcome = 'answered' then extract_sql(response_text) end as extraction,
    from responses

),

ranked as (

    -- The first answer with SQL counts; else one that was cut off, else one without SQL, else the newest failure.
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
                    else 4
                end,
                case when outcome = 'failed' then -epoch_us(responded_at) else epoch_us(responded_at) end,
                attempt_id
        ) = 1 as is_chosen,
    from read

)

select * from ranked
