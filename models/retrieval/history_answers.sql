with

requests as (

    select * from {{ ref('stg_history_requests') }}
    where purpose <> 'answer' and sample = 1

),

runs as (

    select * from {{ ref('history_runs') }}
    where is_in_use

),

responses as (

    select * from {{ ref('stg_responses') }}
    where outcome in ('answered', 'truncated')

),

answered as (

    select
        runs.run_id,
        runs.purpose,
        runs.benchmark,
        runs.task_set,
        runs.history,
        runs.retriever,
        runs.uses_questions,
        runs.model,
        requests.db_id,
        requests.subject_id,
        requests.request_id,
        requests.offered,
        responses.outcome,
        responses.attempt_id,
        responses.response_text,
        responses.responded_at,
        case when responses.outcome = 'answered' then {{ answered_json('responses.response_text') }} end as found,
        case runs.purpose
            when 'describe_history' then '$.components'
            when 'extract_keywords' then '$.keywords'
            else '$.queries'
        end as path,
    from requests
    -- Past queries go by numbers that another history has too; keywords are the question's alone.
    inner join runs
        on requests.run_id = runs.run_id
        and (requests.history = runs.history or runs.purpose = 'extract_keywords')
    inner join responses on requests.request_id = responses.request_id

),

judged as (

    select
        * exclude (found, path),
        coalesce(json_type(found, path) = 'ARRAY', false) as is_read,
        case
            when outcome = 'truncated' then 'cut_off'
            when coalesce(trim(response_text), '') = '' then 'empty'
            when found is null then 'no_json'
            when not is_read then 'no_list'
        end as reason,
        case when is_read then found end as answer,
    from answered

),

first_read as (

    -- The first that can be read; without one, the first that came.
    select * exclude (attempt_id, responded_at, is_read)
    from judged
    qualify row_number() over (
        partition by run_id, subject_id
        order by is_read desc, outcome = 'answered' desc, responded_at asc, attempt_id asc
    ) = 1

)

select * from first_read
