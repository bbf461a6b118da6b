with

covered as (

    select * from {{ ref('read_golds') }}
    where is_covered

),

unnested as (

    select
        gold_id,
        benchmark,
        question_id,
        gold_edition,
        gold_number,
        db_id,
        unnest(columns) as label,
    from covered

),

named as (

    select
        gold_id,
        benchmark,
        question_id,
        gold_edition,
        gold_number,
        db_id,
        label.table_key,
        label.column_key,
        label.role,
    from unnested

)

select * from named
