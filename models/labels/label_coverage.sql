with

golds as (

    select * from {{ ref('golds') }}
    where sql_id is not null

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

readings as (

    select * from {{ ref('gold_readings') }}

),

judged as (

    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.db_id,
        readings.reason is null as is_covered,
        readings.reason,
        readings.detail,
    from golds
    inner join outlines
        on golds.benchmark = outlines.benchmark
        and golds.db_id = outlines.db_id
    inner join readings
        on golds.sql_id = readings.sql_id
        and outlines.outline_id = readings.outline_id

)

select * from judged
