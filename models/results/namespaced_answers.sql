with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

namespaces as (

    select * from {{ ref('prediction_namespaces') }}
    where namespace is not null

),

questions as (

    select * from {{ ref('questions') }}

),

answers as (

    select
        prediction_set,
        benchmark,
        question_id,
        sample,
        dialect,
        predicted_sql,
    from {{ ref('stg_predictions') }}
    where predicted_sql is not null

    union all

    select
        prediction_set,
        benchmark,
        question_id,
        sample,
        dialect,
        predicted_sql,
    from {{ ref('generated_answers') }}
    where predicted_sql is not null

),

placed as (

    select
        answers.prediction_set,
        answers.benchmark,
        answers.question_id,
        answers.sample,
        namespaces.namespace,
        questions.db_id,
        questions.engine || '_union' as engine,
        coalesce(answers.dialect, questions.dialect) as dialect,
        answers.predicted_sql as answer_sql,
    from answers
    inner join namespaces
        on answers.prediction_set = namespaces.prediction_set
        and answers.benchmark = namespaces.benchmark
    inner join studied on answers.benchmark = studied.benchmark
    inner join questions
        on answers.benchmark = questions.benchmark
        and answers.question_id = questions.question_id

),

keyed as (

    select
        *,
        {{ sql_id('dialect', 'answer_sql') }} as answer_sql_id,
        {{ namespaced_text_id('benchmark', 'namespace', 'null', 'engine', sql_id('dialect', 'answer_sql')) }}
            as text_id,
    from placed

)

select * from keyed
