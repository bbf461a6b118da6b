with

queries as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

readings as (

    select * from {{ ref('component_readings') }}

),

unnested as (

    select
        queries.history,
        queries.db_id,
        queries.history_query_id,
        unnest(readings.components) as component,
    from queries
    inner join readings on queries.reading_id = readings.reading_id

),

named as (

    select
        history,
        db_id,
        history_query_id,
        component.component_number,
        component.clause,
        component.knowledge_type,
        component.sql_substring,
        component.published_skeleton,
        component.skeleton,
        {{ item_id('component.knowledge_type', 'component.skeleton') }} as item_id,
    from unnested

)

select * from named
