with

run_questions as (

    select * from {{ ref('run_questions') }}
    where not is_control

),

settings as (

    -- Those that show anything of the schema.
    select * from {{ ref('prompt_settings') }}
    where regexp_matches(concat(system_template, user_template), '\{(schema_ddl|join_hints|value_hints|schema_notes)\}')

),

task_seeds as (

    select * from {{ ref('task_seeds') }}

),

history_runs as (

    select * from {{ ref('history_runs') }}

),

history_queries as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

history_questions as (

    select * from {{ ref('history_questions') }}

),

questions as (

    select * from {{ ref('questions') }}

),

dialects as (

    select * from {{ ref('dialects') }}

),

reserved as (

    select list(word order by word) as words from {{ ref('reserved_words') }}

),

shown as (

    select distinct
        run_questions.benchmark,
        run_questions.db_id,
        run_questions.dialect,
    from run_questions
    inner join settings on run_questions.setting = settings.setting
    union
    select distinct
        schema_benchmark as benchmark,
        db_id,
        dialect,
    from task_seeds
    union
    select distinct
        benchmark,
        db_id,
        dialect,
    from run_questions
    where starts_with(setting, 'history/')
    union
    select distinct
        history_runs.schema_benchmark as benchmark,
        history_queries.db_id,
        history_queries.dialect,
    from history_runs
    inner join history_queries on history_runs.history = history_queries.history
    where history_runs.purpose = 'describe_history'
    union
    select distinct
        questions.benchmark,
        questions.db_id,
        questions.dialect,
    from history_runs
    inner join history_questions on history_runs.task_set = history_questions.task_set
    inner join questions
        on history_questions.benchmark = questions.benchmark
        and history_questions.question_id = questions.question_id
    where history_runs.purpose in ('extract_keywords', 'filter_rerank')

),

spelled as (

    -- An unknown dialect spells as the standard does.
    select
        shown.benchmark,
        shown.db_id,
        shown.dialect,
        coalesce(dialects.bare_name, '[A-Za-z_][A-Za-z0-9_]*') as bare_name,
        coalesce(dialects.open_quote, '"') as open_quote,
        coalesce(dialects.close_quote, '"') as close_quote,
        reserved.words as reserved_words,
    from shown
    cross join reserved
    left join dialects on shown.dialect = dialects.dialect

)

select * from spelled
