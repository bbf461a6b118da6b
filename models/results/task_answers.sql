with

runs as (

    select * from {{ ref('task_runs') }}

),

requests as (

    select * from {{ ref('stg_task_requests') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

first_answers as (

    -- What was cut at the token limit is an answer too: asked again, it would be cut again.
    select
        request_id,
        outcome,
        response_text,
        row_number() over (
            partition by request_id
            order by outcome = 'answered' desc, responded_at asc, attempt_id asc
        ) as preference,
    from responses
    where outcome in ('answered', 'truncated')

),

answered as (

    select
        requests.task_run_id,
        requests.benchmark,
        requests.draft_number,
        requests.revision,
        requests.purpose,
        requests.request_id,
        requests.messages,
        requests.schema_benchmark,
        requests.history,
        requests.db_id,
        requests.history_query_ids,
        first_answers.outcome,
        first_answers.response_text,
        case when first_answers.outcome = 'answered' then {{ answered_json('first_answers.response_text') }} end as answer,
        case
            when first_answers.outcome = 'truncated' then 'cut_off'
            when coalesce(trim(first_answers.response_text), '') = '' then 'empty'
            when answer is null then 'no_json'
        end as reason,
    from requests
    inner join runs on requests.task_run_id = runs.task_run_id
    inner join first_answers on requests.request_id = first_answers.request_id
    where first_answers.preference = 1

)

select * from answered
