with

answers as (

    select * from {{ ref('namespaced_answers') }}

),

texts as (

    select * from {{ ref('union_texts') }}

),

statements as (

    select * from {{ ref('union_statements') }}

),

translated as (

    select
        answers.prediction_set,
        answers.benchmark,
        answers.question_id,
        answers.sample,
        answers.namespace,
        answers.db_id,
        answers.text_id,
        answers.answer_sql,
        texts.union_sql,
        texts.union_sql_id,
        texts.unknown_names,
        statements.engine,
        statements.union_id,
        statements.statement_id,
    from answers
    inner join texts on answers.text_id = texts.text_id
    left join statements on answers.text_id = statements.text_id

)

select * from translated
