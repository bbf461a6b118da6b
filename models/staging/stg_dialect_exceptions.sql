with

landed as (

    select * from {{ source('landing', 'dialect_exceptions') }}

),

current_once as (

    select
        import_id,
        benchmark,
        question_id,
        dialect,
        kind,
        reason,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, question_id, dialect order by landed_at desc) = 1

)

select * from current_once
