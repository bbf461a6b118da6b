with

studied as (

    select * from {{ ref('history_benchmarks') }}

),

derived as (

    select * from {{ ref('derived_task_items') }}

),

published as (

    select * from {{ ref('matched_history_keys') }}

),

items as (

    select * from {{ ref('knowledge_items') }}

),

named as (

    select distinct
        * exclude (history_query_ids),
        unnest(history_query_ids) as history_query_id,
    from published

),

merged as (

    -- Keys of a question that say the same are one item, in the queries of all of them.
    select
        task_set,
        benchmark,
        question_id,
        history,
        db_id,
        item_id,
        knowledge_type,
        skeleton,
        arg_min(knowledge_key, label_number) as knowledge_key,
        list(distinct history_query_id order by history_query_id)
            filter (where history_query_id is distinct from own_query_id) as history_query_ids,
    from named
    group by task_set, benchmark, question_id, history, db_id, item_id, knowledge_type, skeleton

),

of_studies as (

    select
        derived.task_set,
        derived.benchmark,
        derived.question_id,
        derived.history,
        derived.db_id,
        derived.item_id,
        derived.knowledge_type,
        derived.skeleton,
        derived.published_skeleton,
        'derived' as origin,
        null::varchar as knowledge_key,
        derived.is_frequent,
        derived.history_query_ids,
    from derived
    inner join studied on derived.task_set = studied.task_set
    where studied.tasks = 'derived'
    union all by name
    select
        merged.*,
        'published' as origin,
        coalesce(items.published_skeleton, merged.knowledge_key) as published_skeleton,
        coalesce(items.is_frequent, false) as is_frequent,
    from merged
    inner join studied on merged.task_set = studied.task_set
    left join items
        on merged.history = items.history
        and merged.db_id = items.db_id
        and merged.item_id = items.item_id
    where studied.tasks = 'published'

),

listed as (

    select * replace (coalesce(history_query_ids, []) as history_query_ids) from of_studies

)

select * from listed
