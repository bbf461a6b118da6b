with

requests as (

    -- What is only planned has no answer to wait for.
    select * from {{ ref('requests') }}
    where not is_planned and purpose in ('answer', 'preliminary_sql')

),

unasked as (

    -- What a cell has no context for: a ranking may still come, the rest stays as it is.
    select
        *,
        unnest(range(1, n_samples + 1)) as sample,
    from {{ ref('cell_questions') }}
    where status <> 'ready' and not is_planned

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

    union all by name

    select
        prediction_set,
        benchmark,
        question_id,
        sample,
        gold_edition,
        dialect,
        if(status = 'no_ranking', 'waiting', status) as issue,
        status = 'no_ranking' as is_waiting,
    from unasked

)

select * from answers
