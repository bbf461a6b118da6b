with

authored as (

    select * from {{ ref('stg_question_statements') }}
    where
        role = 'distractor'
        and gold_edition = 'benchmark'

),

questions as (

    select * from {{ ref('placed_questions') }}

),

placed as (

    select
        authored.benchmark,
        authored.question_id,
        questions.db_id,
        questions.engine,
        questions.snapshot_id,
        questions.database_path,
        questions.connection,
        questions.search_path,
        coalesce(authored.dialect, questions.dialect) as dialect,
        authored.sql as distractor_sql,
        {{ sql_id('coalesce(authored.dialect, questions.dialect)', 'authored.sql') }} as sql_id,
        {{ statement_id('questions.engine', 'questions.snapshot_id', 'authored.sql') }} as statement_id,
    from authored
    inner join questions
        on authored.benchmark = questions.benchmark
        and authored.question_id = questions.question_id
    where
        questions.has_database
        -- notyet: on a live database only golds and predictions take part in a wave.
        and not questions.is_live
        and coalesce(authored.dialect, questions.dialect) = questions.engine_dialect
    qualify row_number() over (partition by authored.benchmark, authored.question_id order by authored.sql) = 1

)

select * from placed
