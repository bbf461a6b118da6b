with

landed as (

    select * from {{ source('landing', 'question_statements') }}

),

current_once as (

    select
        import_id,
        benchmark,
        question_id,
        role,
        gold_edition,
        dialect,
        sql,
    from landed
    where {{ is_current_import() }}
    qualify
        row_number() over (
            partition by import_id, question_id, role, gold_edition, dialect
            order by landed_at desc
        ) = 1

)

select * from current_once
