with

imported as (

    select * from {{ ref('stg_predictions') }}

),

answered_requests as (

    select * from {{ ref('generated_answers') }}

),

questions as (

    select * from {{ ref('placed_questions') }}

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

mirrored as (

    -- What is answered to a question runs on its supplementary instance too, unless it was answered there itself.
    select gathered.* replace (questions.benchmark as benchmark)
    from gathered
    inner join questions
        on gathered.benchmark = questions.base_benchmark
        and gathered.question_id = questions.question_id
    where not exists (
        select 1 from gathered as own
        where
            own.prediction_set = gathered.prediction_set
            and own.benchmark = questions.benchmark
    )

),

everything as (

    select * from gathered
    union all
    select * from mirrored

),

keyed as (

    select
        md5(concat_ws(chr(31), everything.prediction_set, everything.benchmark, everything.question_id, everything.sample))
            as prediction_id,
        everything.prediction_set,
        everything.benchmark,
        everything.question_id,
        everything.sample,
        coalesce(everything.gold_edition, 'benchmark') as gold_edition,
        questions.db_id,
        questions.difficulty,
        questions.has_database,
        coalesce(everything.dialect, questions.dialect) as dialect,
        everything.raw_text,
        coalesce(translated_answers.union_sql, everything.predicted_sql) as predicted_sql,
        everything.extraction,
        everything.issue,
        everything.is_waiting,
        namespaces.namespace,
        case
            when translated_answers.union_sql_id is not null then translated_answers.union_sql_id
            when everything.predicted_sql is not null
                then {{ sql_id('coalesce(everything.dialect, questions.dialect)', 'everything.predicted_sql') }}
        end as sql_id,
        coalesce(coalesce(everything.dialect, questions.dialect) <> questions.engine_dialect, false) as is_other_dialect,
        case
            when namespaces.namespace is not null then translated_answers.statement_id
            when everything.predicted_sql is not null and coalesce(everything.dialect, questions.dialect) = questions.engine_dialect
                then {{ statement_id('questions.engine', 'questions.snapshot_id', 'everything.predicted_sql') }}
        end as statement_id,
    from everything
    inner join questions
        on everything.benchmark = questions.benchmark
        and everything.question_id = questions.question_id
    left join namespaces
        on everything.prediction_set = namespaces.prediction_set
        and everything.benchmark = namespaces.benchmark
    left join translated_answers
        on everything.prediction_set = translated_answers.prediction_set
        and everything.benchmark = translated_answers.benchmark
        and everything.question_id = translated_answers.question_id
        and everything.sample = translated_answers.sample

)

select * from keyed
