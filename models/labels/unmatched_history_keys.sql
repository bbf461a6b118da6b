with

keys as (

    select * from {{ ref('matched_history_keys') }}

),

unmatched as (

    select
        task_set,
        benchmark,
        question_id,
        history,
        db_id,
        label_number,
        knowledge_key,
        knowledge_type,
        skeleton,
        history_query_ids,
        reason,
        detail,
        nearest_skeleton,
    from keys
    where reason is not null

)

select * from unmatched
