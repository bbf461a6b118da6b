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

paired as (

    select distinct
        texts.sql_id,
        coalesce(outlines.outline_id, md5('[]')) as outline_id,
        texts.dialect,
        texts.sql,
    from texts
    left join outlines
        on texts.schema_benchmark = outlines.benchmark
        and texts.db_id = outlines.db_id

),

keyed as (

    select
        md5(concat_ws(chr(31), sql_id, outline_id)) as reading_id,
        sql_id,
        outline_id,
        dialect,
        sql,
    from paired

)

select * from keyed
