with

landed as (

    select * from {{ source('landing', 'task_requests') }}

),

once as (

    select
        task_run_id,
        benchmark,
        draft_number,
        revision,
        purpose,
        request_id,
        model,
        settings,
        messages,
        schema_benchmark,
        history,
        db_id,
        history_query_ids,
        planned_at,
    from landed
    qualify row_number() over (
        partition by task_run_id, draft_number, revision, purpose
        order by landed_at desc
    ) = 1

)

select * from once
