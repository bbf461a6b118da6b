with

runs as (

    select * from {{ ref('history_runs') }}

),

prompts as (

    select * from {{ ref('history_prompts') }}
    union all by name
    select * from {{ ref('pipeline_prompts') }}

),

landed as (

    select * from {{ ref('stg_history_requests') }}

),

attempts as (

    select * from {{ ref('attempts') }}

),

worded as (

    select
        runs.run_id,
        runs.prediction_set,
        runs.purpose,
        runs.benchmark,
        runs.history,
        prompts.db_id,
        prompts.subject_id,
        prompts.subject_position,
        runs.model,
        runs.settings,
        to_json(list_filter(
            [
                struct_pack(role := 'system', content := prompts.system_text),
                struct_pack(role := 'user', content := prompts.user_text)
            ],
            lambda message: coalesce(message.content, '') <> ''
        ))::varchar as messages,
        prompts.offered,
        unnest(range(1, if(runs.purpose = 'answer', runs.n_samples, 1) + 1)) as sample,
    from prompts
    inner join runs on prompts.run_id = runs.run_id

),

keyed as (

    select
        md5(concat_ws(chr(31), purpose, messages, model, settings, sample)) as request_id,
        *,
    from worded

),

answers as (

    select
        request_id,
        count(*) filter (where outcome in ('answered', 'truncated')) as n_answers,
        bool_or(outcome = 'truncated') as is_ever_truncated,
        bool_or(predicted_sql is not null) as has_sql,
        bool_or(outcome = 'answered' and {{ answered_json('response_text') }} is not null) as has_json,
    from attempts
    group by request_id

),

pending as (

    select
        keyed.*,
        landed.request_id is not null as is_planned,
        coalesce(answers.n_answers, 0) as n_answers,
        coalesce(
            answers.is_ever_truncated or if(keyed.purpose = 'answer', answers.has_sql, answers.has_json), false
        ) as is_done,
        not is_done and coalesce(answers.n_answers, 0) > 0 as has_answer_without_sql,
    from keyed
    left join landed
        on keyed.run_id = landed.run_id
        and keyed.subject_id = landed.subject_id
        and keyed.sample = landed.sample
        and keyed.request_id = landed.request_id
        and keyed.offered is not distinct from landed.offered
    left join answers on keyed.request_id = answers.request_id

)

select * from pending
where not is_planned or not is_done
order by run_id, subject_position, subject_id, sample
