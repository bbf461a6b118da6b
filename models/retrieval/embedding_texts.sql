with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

questions as (

    select * from {{ ref('questions') }}

),

documents as (

    select * from {{ ref('table_documents') }}

),

texts as (

    select
        questions.benchmark,
        'question' as kind,
        null as reads,
        questions.question_id,
        null as db_id,
        null as table_key,
        questions.question as text,
    from questions
    semi join studied on questions.benchmark = studied.benchmark

    union all

    select
        benchmark,
        'table' as kind,
        reads,
        null as question_id,
        db_id,
        table_key,
        document as text,
    from documents

),

keyed as (

    select
        benchmark,
        kind,
        reads,
        question_id,
        db_id,
        table_key,
        md5(text) as text_id,
        text,
    from texts
    -- An encoder has nothing to say of an empty text.
    where trim(text) <> ''

)

select * from keyed
