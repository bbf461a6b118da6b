with

requests as (

    select * from {{ ref('requests') }}

),

attempts as (

    select * from {{ ref('attempts') }}

),

tried as (

    select
        request_id,
        count(*) as n_attempts,
        count(*) filter (where outcome in ('answered', 'truncated')) as n_answers,
        bool_or(predicted_sql is not null or outcome = 'truncated') as is_done,
        bool_or(outcome = 'answered' and predicted_sql is null) as has_answer_without_sql,
        arg_max(outcome = 'failed' and is_permanent, (responded_at, attempt_number, attempt_id))
            as is_permanently_failed,
    from attempts
    group by request_id

),

pending as (

    select
        requests.request_id,
        requests.run_id,
        requests.prediction_set,
        requests.benchmark,
        requests.question_id,
        requests.question_position,
        requests.sample,
        requests.purpose,
        requests.model,
        requests.dialect,
        requests.db_id,
        requests.question,
        requests.gold_sql,
        requests.control_sql,
        requests.messages,
        requests.settings,
        requests.is_planned,
        coalesce(tried.n_attempts, 0) as n_attempts,
        coalesce(tried.n_answers, 0) as n_answers,
        coalesce(tried.has_answer_without_sql, false) as has_answer_without_sql,
        coalesce(tried.is_permanently_failed, false) as is_permanently_failed,
    from requests
    left join tried on requests.request_id = tried.request_id
    where not coalesce(tried.is_done, false)

)

select * from pending
order by prediction_set, benchmark, question_position, question_id, sample
