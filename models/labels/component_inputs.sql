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

keyed as (

    -- A log repeats itself: each text is read once for a database.
    {{ texts_in_outlines('texts', 'outlines') }}

)

select * from keyed
