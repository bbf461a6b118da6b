with

studied as (

    select * from {{ ref('history_benchmarks') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

masked as (

    select * from {{ ref('masked_questions') }}

),

keywords as (

    select * from {{ ref('task_keywords') }}

),

script_descriptions as (

    select * from {{ ref('script_descriptions') }}

),

components as (

    select * from {{ ref('component_phrases') }}

),

asked as (

    select
        task_set,
        'task_question' as kind,
        db_id,
        question_id as id,
        0 as text_number,
        question as text,
    from tasks

    union all

    select
        tasks.task_set,
        'masked_task_question' as kind,
        tasks.db_id,
        tasks.question_id as id,
        0 as text_number,
        masked.masked_question as text,
    from tasks
    inner join masked
        on masked.source = 'task'
        and tasks.task_set = masked.pool
        and tasks.question_id = masked.id

    union all

    select
        tasks.task_set,
        'keyword' as kind,
        tasks.db_id,
        tasks.question_id as id,
        keywords.keyword_number as text_number,
        keywords.keyword as text,
    from tasks
    inner join keywords
        on tasks.task_set = keywords.task_set
        and tasks.question_id = keywords.question_id

),

known as (

    select
        history,
        'script_question' as kind,
        db_id,
        history_query_id as id,
        question as text,
    from scripts

    union all

    select
        history,
        'script_description' as kind,
        db_id,
        history_query_id as id,
        concat_ws('. ', case when made_by <> 'template' then name end, description) as text,
    from script_descriptions

    union all

    select
        pool as history,
        if(source = 'script', 'masked_script_question', 'masked_script_description') as kind,
        db_id,
        id,
        masked_question as text,
    from masked
    where source in ('script', 'description')

    union all

    -- An item says in every script the same, but for its values.
    select
        history,
        'component' as kind,
        db_id,
        item_id as id,
        phrase as text,
    from components
    group by history, db_id, item_id, phrase

),

texts as (

    select
        studied.task_set,
        studied.benchmark,
        studied.history,
        studied.encoder,
        asked.kind,
        asked.db_id,
        asked.id,
        asked.text_number,
        asked.text,
    from asked
    inner join studied on asked.task_set = studied.task_set

    union all

    select
        studied.task_set,
        studied.benchmark,
        studied.history,
        studied.encoder,
        known.kind,
        known.db_id,
        known.id,
        if(
            known.kind = 'component',
            row_number() over (
                partition by studied.task_set, known.kind, known.db_id, known.id
                order by known.text
            ),
            0
        ) as text_number,
        known.text,
    from known
    inner join studied on known.history = studied.history

),

keyed as (

    select
        task_set,
        benchmark,
        history,
        encoder,
        kind,
        db_id,
        id,
        text_number,
        md5(text) as text_id,
        text,
    from texts
    where trim(text) <> ''

)

select * from keyed
