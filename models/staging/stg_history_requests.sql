with

landed as (

    select * from {{ source('landing', 'history_requests') }}

),

newest as (

    select
        run_id,
        purpose,
        benchmark,
        history,
        db_id,
        subject_id,
        sample,
        request_id,
        model,
        settings,
        messages,
        offered,
        planned_at,
    from landed
    qualify row_number() over (
        partition by run_id, subject_id, sample
        order by planned_at desc, landed_at desc, request_id asc
    ) = 1

)

select * from newest
