with

requests as (

    select * from {{ ref('requests') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

final_responses as (

    -- An answer is final; without one, the newest failure tells.
    select * from responses
    qualify row_number() over (
        partition by request_id
        order by (outcome = 'answered') desc, responded_at desc, attempt_id asc
    ) = 1

),

extracted as (

    select
        requests.prediction_set,
        requests.benchmark,
        requests.question_id,
        requests.sample,
        requests.gold_edition,
        final_responses.response_text as raw_text,
        final_responses.outcome,
        final_responses.request_id is null as is_waiting,
        case when final_responses.outcome = 'answered' then extract_sql(final_responses.response_text) end as extraction,
    from requests
    left join final_responses on requests.request_id = final_responses.request_id

),

answers as (

    select
        prediction_set,
        benchmark,
        question_id,
        sample,
        gold_edition,
        raw_text,
        extraction.sql as predicted_sql,
        extraction.steps as extraction,
        case
            when is_waiting then 'waiting'
            when outcome <> 'answered' then 'no_response'
            when extraction.sql is null then 'no_sql'
        end as issue,
        is_waiting,
    from extracted

)

select * from answers
