with

landed as (

    select * from {{ source('landing', 'schema_notes') }}

),

current_once as (

    select
        import_id,
        benchmark,
        db_id,
        note_number,
        note_text,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, db_id, note_number order by landed_at desc) = 1

)

select * from current_once
