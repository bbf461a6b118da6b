with

landed as (

    select * from {{ source('landing', 'history_labels') }}

),

current_once as (

    select
        import_id,
        benchmark,
        question_id,
        history,
        label_number,
        knowledge_key,
        history_query_ids,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, question_id, label_number order by landed_at desc) = 1

)

select * from current_once
