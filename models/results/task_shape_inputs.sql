with

drafts as (

    select * from {{ ref('task_drafts') }}

),

queries as (

    select * from {{ ref('history_queries') }}

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

offered as (

    select distinct
        history,
        unnest(history_query_ids) as history_query_id,
    from drafts

),

texts as (

    select
        schema_benchmark,
        db_id,
        sql_id,
        dialect,
        sql,
    from drafts
    where is_read
    union all
    select
        queries.schema_benchmark,
        queries.db_id,
        {{ sql_id('queries.dialect', 'queries.sql') }} as sql_id,
        queries.dialect,
        queries.sql,
    from offered
    inner join queries
        on offered.history = queries.history
        and offered.history_query_id = queries.history_query_id
    where queries.sql is not null

),

keyed as (

    {{ texts_in_outlines('texts', 'outlines') }}

)

select * from keyed
