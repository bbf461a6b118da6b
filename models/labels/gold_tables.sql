with

covered as (

    select * from {{ ref('read_golds') }}
    where is_covered

),

named as (

    select
        gold_id,
        benchmark,
        question_id,
        gold_edition,
        gold_number,
        db_id,
        unnest(tables) as table_key,
    from covered

)

select * from named
