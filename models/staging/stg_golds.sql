with

landed as (

    select * from {{ source('landing', 'golds') }}

),

current_once as (

    select
        import_id,
        benchmark,
        question_id,
        gold_edition,
        gold_number,
        dialect,
        gold_sql,
        result_id,
        is_ordered,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, question_id, gold_edition, gold_number order by landed_at desc) = 1

)

select * from current_once
