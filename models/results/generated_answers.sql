with

requests as (

    -- What is only planned has no answer to wait for.
    select * from {{ ref('requests') }}
    where not is_planned

),

attempts as (

    select * from {{ ref('attempts') }}
    where is_chosen

),

answers as (

    select
        requests.prediction_set,
        requests.benchmark,
        requests.question_id,
        requests.sample,
        requests.gold_edition,
        requests.dialect,
        attempts.response_text as raw_text,
        attempts.predicted_sql,
        attempts.extraction,
        case
            when attempts.request_id is null then 'waiting'
            when attempts.outcome = 'truncated' then 'truncated'
            when attempts.outcome <> 'answered' then 'no_response'
            when attempts.predicted_sql is null then 'no_sql'
        end as issue,
        attempts.request_id is null as is_waiting,
    from requests
    left join attempts on requests.request_id = attempts.request_id

)

select * from answers
