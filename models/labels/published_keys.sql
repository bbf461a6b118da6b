with

questions as (

    select * from {{ ref('history_questions') }}

),

labels as (

    select * from {{ ref('stg_history_labels') }}

),

dialects as (

    select distinct
        schema_benchmark,
        db_id,
        database_dialect as dialect,
    from {{ ref('logged_queries') }}

),

studied as (

    select * from {{ ref('history_benchmarks') }}

),

keyed as (

    select
        questions.task_set,
        questions.benchmark,
        questions.question_id,
        questions.history,
        questions.db_id,
        questions.own_query_id,
        labels.label_number,
        labels.knowledge_key,
        labels.history_query_ids,
        dialects.dialect,
        questions.outline_id,
        md5(concat_ws(chr(31), dialects.dialect, questions.outline_id, labels.knowledge_key)) as key_reading_id,
    from questions
    inner join studied on questions.benchmark = studied.benchmark
    inner join labels
        on questions.benchmark = labels.benchmark
        and questions.question_id = labels.question_id
        and questions.history = labels.history
    left join dialects
        on studied.schema_benchmark = dialects.schema_benchmark
        and questions.db_id = dialects.db_id

)

select * from keyed
