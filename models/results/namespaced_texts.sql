with

answers as (

    select * from {{ ref('namespaced_answers') }}

),

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

golds as (

    select * from {{ ref('golds') }}
    where sql_id is not null

),

questions as (

    select * from {{ ref('questions') }}

),

gold_texts as (

    select distinct
        {{ namespaced_text_id('golds.benchmark', "'own'", 'golds.db_id', "questions.engine || '_union'", 'golds.sql_id') }}
            as text_id,
        golds.benchmark,
        'own' as naming,
        golds.db_id,
        questions.engine || '_union' as engine,
        golds.dialect,
        golds.sql_id,
        golds.gold_sql as sql,
    from golds
    inner join studied on golds.benchmark = studied.benchmark
    inner join questions
        on golds.benchmark = questions.benchmark
        and golds.question_id = questions.question_id

),

answer_texts as (

    select distinct
        text_id,
        benchmark,
        namespace as naming,
        null::varchar as db_id,
        engine,
        dialect,
        answer_sql_id as sql_id,
        answer_sql as sql,
    from answers

),

texts as (

    select * from gold_texts
    union all
    select * from answer_texts

)

select * from texts
