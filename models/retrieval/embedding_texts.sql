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

past as (

    select * from {{ ref('history_texts') }}

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

    union all

    -- Whatever says the same is one text, of a task or of its history.
    select distinct
        benchmark,
        'history' as kind,
        null as reads,
        null as question_id,
        null as db_id,
        null as table_key,
        text,
    from past
    where encoder is not null

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
