with

runs as (

    select * from {{ ref('task_runs') }}

),

planned as (

    select * from {{ ref('stg_task_requests') }}

),

answered as (

    select distinct request_id
    from {{ ref('task_answers') }}

),

waiting as (

    select
        planned.request_id,
        planned.task_run_id,
        planned.benchmark,
        planned.draft_number,
        planned.revision,
        planned.purpose,
        planned.model,
        planned.settings,
        planned.messages,
        planned.schema_benchmark,
        planned.history,
        planned.db_id,
        planned.history_query_ids,
        true as is_planned,
    from planned
    inner join runs on planned.task_run_id = runs.task_run_id
    where planned.request_id not in (select answered.request_id from answered)

),

pending as (

    select * from waiting
    union all by name
    select
        *,
        false as is_planned,
    from {{ ref('task_prompts') }}

)

select * from pending
order by benchmark, draft_number, task_run_id, revision, purpose
