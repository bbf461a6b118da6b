with

runs as (

    select * from {{ ref('task_runs') }}

),

accepted as (

    select * from {{ ref('task_verdicts') }}
    where verdict = 'accepted'

),

drafts as (

    select * from {{ ref('task_drafts') }}

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

shapes as (

    select * from {{ ref('task_shapes') }}

),

components as (

    select * from {{ ref('script_components') }}

),

items as (

    select * from {{ ref('knowledge_items') }}

),

reviews as (

    select * from {{ ref('review_outcomes') }}

),

chosen as (

    select
        drafts.task_run_id,
        drafts.benchmark,
        drafts.draft_number,
        drafts.revision,
        -- A number of its own, whatever is drafted and accepted later.
        (runs.run_number - 1) * 100000 + drafts.draft_number as question_id,
        runs.history,
        drafts.schema_benchmark,
        drafts.db_id,
        drafts.question,
        drafts.evidence,
        drafts.sql,
        drafts.dialect,
        drafts.used_query_ids,
        drafts.sql_id,
        {{ outline_id_or_none('outlines') }} as outline_id,
    from accepted
    inner join drafts
        on accepted.task_run_id = drafts.task_run_id
        and accepted.draft_number = drafts.draft_number
        and accepted.revision = drafts.revision
    inner join runs on drafts.task_run_id = runs.task_run_id
    left join outlines
        on drafts.schema_benchmark = outlines.benchmark
        and drafts.db_id = outlines.db_id

),

held as (

    select distinct
        chosen.benchmark,
        chosen.question_id,
        chosen.history,
        chosen.db_id,
        item_id,
    from chosen
    inner join shapes
        on chosen.sql_id = shapes.sql_id
        and chosen.outline_id = shapes.outline_id
    cross join unnest(shapes.item_ids) as held_items (item_id)

),

known as (

    -- Every past query that holds an item of the task's SQL knows it, whether it was offered or not. Items that are
    -- spelled alike are one key.
    select
        held.benchmark,
        held.question_id,
        items.published_skeleton,
        min(items.knowledge_type) as knowledge_type,
        list(
            distinct components.history_query_id
            order by try_cast(components.history_query_id as bigint) asc nulls last, components.history_query_id asc
        ) as history_query_ids,
    from held
    inner join items
        on held.history = items.history
        and held.db_id = items.db_id
        and held.item_id = items.item_id
    inner join components
        on items.history = components.history
        and items.db_id = components.db_id
        and items.item_id = components.item_id
    group by held.benchmark, held.question_id, items.published_skeleton

),

labelled as (

    -- Ids that are numbers are written as numbers, as they are published.
    select
        benchmark,
        question_id,
        count(*) as n_items,
        count(distinct knowledge_type) as n_types,
        to_json(map_from_entries(list(
            struct_pack(
                key := published_skeleton,
                value := case
                    when len(list_filter(history_query_ids, lambda id: try_cast(id as bigint) is null)) = 0
                        then to_json(list_transform(history_query_ids, lambda id: try_cast(id as bigint)))
                    else to_json(history_query_ids)
                end
            )
            order by knowledge_type, published_skeleton
        )))::varchar as history_knowledge,
    from known
    group by benchmark, question_id

),

constructed as (

    select
        chosen.benchmark,
        chosen.question_id,
        chosen.task_run_id,
        chosen.draft_number,
        chosen.revision,
        chosen.history,
        chosen.schema_benchmark,
        chosen.db_id,
        chosen.question,
        chosen.evidence,
        chosen.sql,
        chosen.dialect,
        chosen.used_query_ids,
        coalesce(labelled.n_items, 0) as n_items,
        coalesce(labelled.n_types, 0) as n_types,
        coalesce(labelled.history_knowledge, '{}') as history_knowledge,
        reviews.decision as review_decision,
    from chosen
    left join labelled
        on chosen.benchmark = labelled.benchmark
        and chosen.question_id = labelled.question_id
    left join reviews
        on chosen.benchmark = reviews.benchmark
        and chosen.question_id::varchar = reviews.task_id

)

select * from constructed
