with

golds as (

    select * from {{ ref('golds') }}

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

readings as (

    select * from {{ ref('gold_readings') }}

),

read_on_their_database as (

    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        golds.db_id,
        readings.reason is null as is_covered,
        readings.reason,
        readings.detail,
        readings.tables,
        readings.columns,
    from golds
    inner join outlines
        on golds.benchmark = outlines.benchmark
        and golds.db_id = outlines.db_id
    inner join readings
        on golds.sql_id = readings.sql_id
        and outlines.outline_id = readings.outline_id

)

select * from read_on_their_database
