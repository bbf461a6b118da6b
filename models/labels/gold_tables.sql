with

golds as (

    select * from {{ ref('golds') }}

),

covered as (

    select * from {{ ref('label_coverage') }}
    where is_covered

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

readings as (

    select * from {{ ref('gold_readings') }}

),

labels as (

    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        golds.db_id,
        unnest(readings.tables) as label,
    from golds
    inner join covered on golds.gold_id = covered.gold_id
    inner join outlines
        on golds.benchmark = outlines.benchmark
        and golds.db_id = outlines.db_id
    inner join readings
        on golds.sql_id = readings.sql_id
        and outlines.outline_id = readings.outline_id

),

named as (

    select
        gold_id,
        benchmark,
        question_id,
        gold_edition,
        gold_number,
        db_id,
        label as table_key,
    from labels

)

select * from named
