with

imported as (

    select * from {{ ref('stg_predictions') }}

),

answered_requests as (

    select * from {{ ref('generated_answers') }}

),

questions as (

    select * from {{ ref('questions') }}

),

namespaces as (

    select * from {{ ref('prediction_namespaces') }}
    where namespace is not null

),

translated_answers as (

    select * from {{ ref('translated_answers') }}

),

gathered as (

    select
        imported.prediction_set,
        imported.benchmark,
        imported.question_id,
        imported.sample,
        imported.gold_edition,
        imported.dialect,
        imported.raw_text,
        imported.predicted_sql,
        imported.extraction,
        imported.issue,
        false as is_waiting,
    from imported

    union all

    select
        prediction_set,
        benchmark,
        question_id,
        sample,
        gold_edition,
        dialect,
        raw_text,
        predicted_sql,
        extraction,
        issue,
        is_waiting,
    from answered_requests

),

keyed as (

    select
        md5(concat_ws(chr(31), gathered.prediction_set, gathered.benchmark, gathered.question_id, gathered.sample))
            as prediction_id,
        gathered.prediction_set,
        gathered.benchmark,
        gathered.question_id,
        gathered.sample,
        coalesce(gathered.gold_edition, 'benchmark') as gold_edition,
        questions.db_id,
        questions.difficulty,
        questions.has_database,
        coalesce(gathered.dialect, questions.dialect) as dialect,
        gathered.raw_text,
        coalesce(translated_answers.union_sql, gathered.predicted_sql) as predicted_sql,
        gathered.extraction,
        gathered.issue,
        gathered.is_waiting,
        namespaces.namespace,
        case
            when translated_answers.union_sql_id is not null then translated_answers.union_sql_id
            when gathered.predicted_sql is not null
                then {{ sql_id('coalesce(gathered.dialect, questions.dialect)', 'gathered.predicted_sql') }}
        end as sql_id,
        coalesce(coalesce(gathered.dialect, questions.dialect) <> questions.engine_dialect, false) as is_other_dialect,
        case
            when namespaces.namespace is not null then translated_answers.statement_id
            when gathered.predicted_sql is not null and coalesce(gathered.dialect, questions.dialect) = questions.engine_dialect
                then {{ statement_id('questions.engine', 'questions.snapshot_id', 'gathered.predicted_sql') }}
        end as statement_id,
    from gathered
    inner join questions
        on gathered.benchmark = questions.benchmark
        and gathered.question_id = questions.question_id
    left join namespaces
        on gathered.prediction_set = namespaces.prediction_set
        and gathered.benchmark = namespaces.benchmark
    left join translated_answers
        on gathered.prediction_set = translated_answers.prediction_set
        and gathered.benchmark = translated_answers.benchmark
        and gathered.question_id = translated_answers.question_id
        and gathered.sample = translated_answers.sample

)

select * from keyed
