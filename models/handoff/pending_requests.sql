with

requests as (

    select * from {{ ref('requests') }}

),

attempts as (

    select * from {{ ref('attempts') }}

),

union_golds as (

    select * from {{ ref('union_golds') }}
    where gold_number = 1

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
        case requests.control_naming
            when 'prefixed' then union_golds.union_sql
            when 'bare' then union_golds.bare_sql
            else requests.control_sql
        end as control_sql,
        requests.messages,
        requests.context_id,
        requests.n_context_tokens,
        requests.settings,
        requests.is_planned,
        coalesce(tried.n_attempts, 0) as n_attempts,
        coalesce(tried.n_answers, 0) as n_answers,
        coalesce(tried.has_answer_without_sql, false) as has_answer_without_sql,
        coalesce(tried.is_permanently_failed, false) as is_permanently_failed,
    from requests
    left join tried on requests.request_id = tried.request_id
    left join union_golds
        on requests.control_naming is not null
        and requests.benchmark = union_golds.benchmark
        and requests.question_id = union_golds.question_id
        and requests.gold_edition = union_golds.gold_edition
    where
        not coalesce(tried.is_done, false)
        -- What serves retrieval is no SQL: any answer is one.
        and not coalesce(requests.purpose not in ('answer', 'preliminary_sql') and tried.n_answers > 0, false)

)

select * from pending
order by prediction_set, benchmark, question_position, question_id, sample
