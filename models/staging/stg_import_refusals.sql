with

landed as (

    select * from {{ source('landing', 'import_refusals') }}

),

current_once as (

    select
        import_id,
        file,
        record,
        question_id,
        field,
        reason,
        detail,
        advice,
        is_landed,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, file, record, field, reason order by landed_at desc) = 1

)

select * from current_once
