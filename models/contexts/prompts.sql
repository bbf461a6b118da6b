with

run_questions as (

    select * from {{ ref('run_questions') }}
    where not is_control

),

cells as (

    select * from {{ ref('cells') }}

),

settings as (

    select
        setting,
        system_template,
        user_template,
        false as is_cell,
    from {{ ref('prompt_settings') }}

    union all

    select
        cells.setting,
        study_prompts.system_template,
        study_prompts.user_template,
        true as is_cell,
    from cells
    cross join {{ ref('study_prompts') }} as study_prompts
    where study_prompts.study = 'budget'

),

contexts as (

    select * from {{ ref('cell_contexts') }}

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

asked as (

    -- Runs that ask the same in the same setting share a prompt.
    select distinct
        benchmark,
        question_id,
        setting,
        dialect,
        db_id,
        question,
        nullif(trim(evidence), '') as evidence,
    from run_questions

),

informed as (

    select
        asked.*,
        settings.system_template,
        settings.user_template,
        coalesce(dialects.label, asked.dialect, 'standard SQL') as dialect_label,
        schema_ddl.ddl as schema_ddl,
        schema_hints.join_hints,
        schema_hints.value_hints,
        schema_hints.schema_notes,
        contexts.context_id,
        contexts.n_tokens as n_context_tokens,
    from asked
    inner join settings on asked.setting = settings.setting
    left join dialects on asked.dialect = dialects.dialect
    left join schema_ddl
        on asked.benchmark = schema_ddl.benchmark
        and asked.db_id = schema_ddl.db_id
        and asked.dialect is not distinct from schema_ddl.dialect
    left join schema_hints
        on asked.benchmark = schema_hints.benchmark
        and asked.db_id = schema_hints.db_id
        and asked.dialect is not distinct from schema_hints.dialect
    left join contexts
        on asked.benchmark = contexts.benchmark
        and asked.question_id = contexts.question_id
        and asked.setting = contexts.setting
    -- A cell without a context for a question does not ask it.
    where contexts.context_id is not null or not settings.is_cell

),

filled as (

    {% set values = {
        'dialect': 'dialect_label',
        'schema_ddl': 'schema_ddl',
        'join_hints': 'join_hints',
        'value_hints': 'value_hints',
        'schema_notes': 'schema_notes',
        'schema_text': 'context_id',
        'evidence': 'evidence',
        'question': 'question',
    } -%}
    select
        *,
        {{ filled_template('system_template', values) }} as system_text,
        {{ filled_template('user_template', values) }} as user_text,
    from informed

),

prompts as (

    select
        benchmark,
        question_id,
        setting,
        dialect,
        system_text,
        user_text,
        to_json(list_filter(
            [
                struct_pack(role := 'system', content := system_text),
                struct_pack(role := 'user', content := user_text)
            ],
            lambda message: coalesce(message.content, '') <> ''
        ))::varchar as messages,
        context_id,
        n_context_tokens,
    from filled

)

select * from prompts
