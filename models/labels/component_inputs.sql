with

histories as (

    select * from {{ ref('history_benchmarks') }}

),

logged as (

    select * from {{ ref('logged_queries') }}
    where sql_id is not null and dialect is not null

),

golds as (

    select * from {{ ref('golds') }}
    where
        gold_edition = 'benchmark'
        and gold_number = 1
        and sql_id is not null

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

texts as (

    select
        sql_id,
        dialect,
        sql,
        schema_benchmark,
        db_id,
    from logged
    union all
    select
        golds.sql_id,
        golds.dialect,
        golds.gold_sql as sql,
        golds.benchmark as schema_benchmark,
        golds.db_id,
    from golds
    inner join histories on golds.benchmark = histories.benchmark

),

paired as (

    -- A log repeats itself: each text is read once for a database.
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
