with

runs as (

    select * from {{ ref('history_runs') }}
    where purpose <> 'answer'

),

templates as (

    select * from {{ ref('history_templates') }}

),

queries as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

component_lines as (

    select * from {{ ref('history_component_lines') }}

),

script_descriptions as (

    select * from {{ ref('script_descriptions') }}

),

retrievers as (

    select * from {{ ref('retrievers') }}

),

candidates as (

    select * from {{ ref('history_candidates') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

questions as (

    select * from {{ ref('questions') }}

),

dialects as (

    select * from {{ ref('dialects') }}

),

schema_ddl as (

    select * from {{ ref('schema_ddl') }}

),

described_components as (

    -- What describes a component already is not shown: a model is asked for it.
    select
        history,
        history_query_id,
        to_json(list(item_id order by component_number))::varchar as offered,
        string_agg(
            concat(component_number, '. ', knowledge_type, ': ', sql_text), chr(10) order by component_number
        ) as components,
    from component_lines
    group by history, history_query_id

),

told_components as (

    select
        history,
        history_query_id,
        list(item_id order by component_number) as item_ids,
        string_agg(
            concat(component_number, '. ', knowledge_type, ': ', sql_text, ' -- ' || coalesce(name, description)),
            chr(10) order by component_number
        ) as components,
    from component_lines
    group by history, history_query_id

),

rerankings as (

    select distinct
        runs.task_set,
        runs.retriever,
        runs.uses_questions,
        retrievers.reranks,
    from runs
    inner join retrievers on runs.retriever = retrievers.retriever
    where runs.purpose = 'filter_rerank'

),

offers as (

    select
        rerankings.task_set,
        rerankings.retriever,
        rerankings.uses_questions,
        candidates.question_id,
        to_json(list(
            struct_pack(
                history_query_id := candidates.history_query_id,
                item_ids := coalesce(told_components.item_ids, [])
            ) order by candidates.rank
        ))::varchar as offered,
        string_agg(
            concat_ws(
                chr(10),
                concat('Query ', candidates.rank),
                'What it does: ' || script_descriptions.description,
                'SQL:',
                trim(queries.sql),
                'Components:' || chr(10) || told_components.components
            ),
            chr(10) || chr(10) order by candidates.rank
        ) as candidates,
    from rerankings
    inner join candidates
        on rerankings.task_set = candidates.task_set
        and rerankings.reranks = candidates.retriever
        and rerankings.uses_questions = candidates.uses_questions
    inner join tasks
        on candidates.task_set = tasks.task_set
        and candidates.question_id = tasks.question_id
    inner join queries
        on tasks.history = queries.history
        and candidates.history_query_id = queries.history_query_id
    left join told_components
        on queries.history = told_components.history
        and queries.history_query_id = told_components.history_query_id
    left join script_descriptions
        on queries.history = script_descriptions.history
        and queries.history_query_id = script_descriptions.history_query_id
    group by rerankings.task_set, rerankings.retriever, rerankings.uses_questions, candidates.question_id

),

asked as (

    select
        runs.run_id,
        runs.purpose,
        queries.db_id,
        runs.schema_benchmark,
        queries.dialect,
        queries.history_query_id as subject_id,
        queries.query_position as subject_position,
        null as question,
        trim(queries.sql) as sql,
        described_components.components,
        null as candidates,
        coalesce(described_components.offered, '[]') as offered,
    from runs
    inner join queries on runs.history = queries.history
    left join described_components
        on queries.history = described_components.history
        and queries.history_query_id = described_components.history_query_id
    where runs.purpose = 'describe_history'

    union all by name

    select
        runs.run_id,
        runs.purpose,
        tasks.db_id,
        runs.benchmark as schema_benchmark,
        questions.dialect,
        tasks.question_id as subject_id,
        tasks.question_position as subject_position,
        {{ one_line('tasks.question') }} as question,
        offers.candidates,
        offers.offered,
    from runs
    inner join tasks on runs.task_set = tasks.task_set
    inner join questions
        on tasks.benchmark = questions.benchmark
        and tasks.question_id = questions.question_id
    left join offers
        on runs.purpose = 'filter_rerank'
        and runs.task_set = offers.task_set
        and runs.retriever = offers.retriever
        and runs.uses_questions = offers.uses_questions
        and tasks.question_id = offers.question_id
    -- Where nothing was found there is nothing to choose from.
    where runs.purpose = 'extract_keywords' or (runs.purpose = 'filter_rerank' and offers.offered is not null)

),

informed as (

    select
        asked.*,
        templates.system_template,
        templates.user_template,
        coalesce(dialects.label, asked.dialect, 'standard SQL') as dialect_label,
        schema_ddl.ddl as schema_ddl,
    from asked
    inner join templates on asked.purpose = templates.purpose
    left join dialects on asked.dialect = dialects.dialect
    left join schema_ddl
        on asked.schema_benchmark = schema_ddl.benchmark
        and asked.db_id = schema_ddl.db_id
        and asked.dialect is not distinct from schema_ddl.dialect

),

filled as (

    {% set values = {
        'dialect': 'dialect_label',
        'schema_ddl': 'schema_ddl',
        'sql': 'sql',
        'components': 'components',
        'candidates': 'candidates',
        'question': 'question',
    } -%}
    select
        run_id,
        purpose,
        subject_id,
        subject_position,
        db_id,
        offered,
        {{ filled_template('system_template', values) }} as system_text,
        {{ filled_template('user_template', values) }} as user_text,
    from informed

)

select * from filled
