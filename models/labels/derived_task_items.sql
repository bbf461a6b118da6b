with

questions as (

    select * from {{ ref('history_questions') }}

),

readings as (

    select * from {{ ref('component_readings') }}

),

components as (

    select * from {{ ref('script_components') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

items as (

    select * from {{ ref('knowledge_items') }}

),

held_out as (

    select
        questions.task_set,
        questions.benchmark,
        questions.question_id,
        questions.history,
        questions.db_id,
        questions.own_query_id,
        questions.asked_at,
        unnest(readings.components) as component,
    from questions
    inner join readings
        on questions.sql_id = readings.sql_id
        and questions.outline_id = readings.outline_id

),

needed as (

    select
        held_out.* exclude (component),
        component.knowledge_type,
        component.skeleton,
        {{ item_id('component.knowledge_type', 'component.skeleton') }} as item_id,
        min_by(component.published_skeleton, component.component_number) as published_skeleton,
    from held_out
    group by all

),

holding as (

    select distinct
        history,
        db_id,
        item_id,
        history_query_id,
    from components

),

labelled as (

    -- The question's own query teaches it nothing, nor does what nobody had asked before it.
    select
        needed.task_set,
        needed.benchmark,
        needed.question_id,
        needed.history,
        needed.db_id,
        needed.item_id,
        needed.knowledge_type,
        needed.skeleton,
        needed.published_skeleton,
        list(scripts.history_query_id order by scripts.query_position asc, scripts.history_query_id asc)
            as history_query_ids,
    from needed
    inner join holding
        on needed.history = holding.history
        and needed.db_id = holding.db_id
        and needed.item_id = holding.item_id
        and holding.history_query_id is distinct from needed.own_query_id
    inner join scripts
        on holding.history = scripts.history
        and holding.history_query_id = scripts.history_query_id
        and coalesce(scripts.known_since < needed.asked_at, true)
    group by all

),

weighed as (

    select
        labelled.*,
        coalesce(items.is_frequent, false) as is_frequent,
    from labelled
    left join items
        on labelled.history = items.history
        and labelled.db_id = items.db_id
        and labelled.item_id = items.item_id

)

select * from weighed
