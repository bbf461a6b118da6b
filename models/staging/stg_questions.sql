with

landed as (

    select * from {{ source('landing', 'questions') }}

),

current_once as (

    select
        import_id,
        benchmark,
        question_id,
        question_position,
        source_question_id,
        db_id,
        question,
        evidence,
        difficulty,
        dialect,
        is_ordered,
        intent,
        domain,
        subdomain,
        language,
        document_ids,
        category_group,
        category,
        is_sd_probe,
        base_benchmark,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, question_id order by landed_at desc) = 1

)

select * from current_once
