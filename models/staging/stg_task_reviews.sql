with

landed as (

    select * from {{ source('landing', 'task_reviews') }}

),

current_once as (

    select
        import_id,
        benchmark,
        task_id,
        review_round,
        reviewer,
        role,
        decision,
        reason,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, task_id, review_round, reviewer, role order by landed_at desc) = 1

)

select * from current_once
