with

golds as (

    select * from {{ ref('golds') }}
    where gold_sql is not null

),

graded as (

    select
        gold_id,
        benchmark,
        question_id,
        gold_edition,
        gold_number,
        spider_hardness(gold_sql, dialect) as spider_hardness,
    from golds

)

select * from graded
