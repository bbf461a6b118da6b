with

golds as (

    select * from {{ ref('golds') }}
    where gold_sql is not null

),

texts as (

    -- Editions share most of their golds: each text is graded once.
    select distinct
        sql_id,
        gold_sql,
        dialect,
    from golds

),

grades as (

    select
        sql_id,
        spider_hardness(gold_sql, dialect) as spider_hardness,
    from texts

),

graded as (

    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        grades.spider_hardness,
    from golds
    left join grades on golds.sql_id = grades.sql_id

)

select * from graded
