with

runs as (

    select * from {{ ref('history_runs') }}
    where purpose = 'answer'

),

run_questions as (

    select * from {{ ref('run_questions') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

pipelines as (

    select * from {{ ref('pipelines') }}

),

shots_text as (

    select * from {{ ref('retrieved_shots_text') }}

),

dialects as (

    select * from {{ ref('dialects') }}

),

schema_ddl as (

    select * from {{ ref('schema_ddl') }}

),

schema_hints as (

    select * from {{ ref('schema_hints') }}

),

informed as (

    select
        runs.run_id,
        tasks.question_id,
        tasks.question_position,
        tasks.db_id,
        coalesce(dialects.label, run_questions.dialect, 'standard SQL') as dialect_label,
        run_questions.question,
        nullif(trim(run_questions.evidence), '') as evidence,
        pipelines.system_template,
        pipelines.user_template,
        schema_ddl.ddl as schema_ddl,
        schema_hints.join_hints,
        schema_hints.value_hints,
        shots_text.shots_text,
    from runs
    inner join pipelines on runs.pipeline = pipelines.pipeline
    inner join run_questions on runs.run_id = run_questions.run_id
    -- Only what is a task is asked.
    inner join tasks
        on runs.task_set = tasks.task_set
        and run_questions.question_id = tasks.question_id
    left join shots_text
        on runs.task_set = shots_text.task_set
        and runs.pipeline = shots_text.pipeline
        and runs.history_setting = shots_text.history_setting
        and run_questions.question_id = shots_text.question_id
    left join dialects on run_questions.dialect = dialects.dialect
    left join schema_ddl
        on run_questions.benchmark = schema_ddl.benchmark
        and run_questions.db_id = schema_ddl.db_id
        and run_questions.dialect is not distinct from schema_ddl.dialect
    left join schema_hints
        on run_questions.benchmark = schema_hints.benchmark
        and run_questions.db_id = schema_hints.db_id
        and run_questions.dialect is not distinct from schema_hints.dialect

),

filled as (

    {% set values = {
        'dialect': 'dialect_label',
        'schema_ddl': 'schema_ddl',
        'join_hints': 'join_hints',
        'value_hints': 'value_hints',
        'shots': 'shots_text',
        'evidence': 'evidence',
        'question': 'question',
    } -%}
    select
        run_id,
        'answer' as purpose,
        question_id as subject_id,
        question_position as subject_position,
        db_id,
        null::varchar as offered,
        {{ filled_template('system_template', values) }} as system_text,
        {{ filled_template('user_template', values) }} as user_text,
    from informed

)

select * from filled
