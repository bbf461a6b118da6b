with

landed as (

    select * from {{ source('landing', 'question_constraints') }}

),

current_once as (

    select
        import_id,
        benchmark,
        question_id,
        constraint_number,
        kind,
        is_activated,
        constraint_text,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, question_id, constraint_number order by landed_at desc) = 1

)

select * from current_once
