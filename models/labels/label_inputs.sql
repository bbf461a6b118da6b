with

golds as (

    select * from {{ ref('golds') }}
    where sql_id is not null

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

paired as (

    -- Editions, and questions on databases of the same names, share most of their golds: each is read once.
    select distinct
        {{ reading_id('golds.sql_id', 'outlines.outline_id') }} as reading_id,
        golds.sql_id,
        outlines.outline_id,
        golds.dialect,
        golds.gold_sql as sql,
    from golds
    inner join outlines
        on golds.benchmark = outlines.benchmark
        and golds.db_id = outlines.db_id

)

select * from paired
