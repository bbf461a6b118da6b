with

studied as (

    select * from {{ ref('history_benchmarks') }}

),

questions as (

    select * from {{ ref('questions') }}

),

golds as (

    select * from {{ ref('golds') }}
    where
        gold_edition = 'benchmark'
        and gold_number = 1
        and sql_id is not null

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

scripts as (

    select
        *,
        lower({{ one_line('question') }}) as wording,
    from {{ ref('history_queries') }}

),

asked as (

    select
        studied.task_set,
        studied.benchmark,
        studied.history,
        studied.as_of,
        questions.question_id,
        questions.question_position,
        questions.db_id,
        questions.question,
        questions.evidence,
        lower({{ one_line('questions.question') }}) as wording,
        golds.sql_id,
        outlines.outline_id,
    from studied
    inner join questions on studied.benchmark = questions.benchmark
    left join golds
        on questions.benchmark = golds.benchmark
        and questions.question_id = golds.question_id
    left join outlines
        on questions.benchmark = outlines.benchmark
        and questions.db_id = outlines.db_id

),

own_scripts as (

    -- A question's own query in the history: by its id where the history is its benchmark, else by its words. Asked
    -- several times, it is the first: what was tried later would give the answer away.
    select
        asked.task_set,
        asked.question_id,
        scripts.history_query_id,
        scripts.executed_at,
    from asked
    inner join scripts
        on asked.history = scripts.history
        and asked.db_id = scripts.db_id
        and asked.wording = scripts.wording
    where asked.history <> asked.benchmark
    qualify
        row_number() over (
            partition by asked.task_set, asked.question_id
            order by scripts.executed_at asc nulls last, scripts.query_position asc, scripts.history_query_id asc
        ) = 1
    union all
    select
        asked.task_set,
        asked.question_id,
        scripts.history_query_id,
        scripts.executed_at,
    from asked
    inner join scripts
        on asked.history = scripts.history
        and asked.question_id = scripts.history_query_id
    where asked.history = asked.benchmark

),

placed as (

    select
        asked.task_set,
        asked.benchmark,
        asked.question_id,
        asked.question_position,
        asked.history,
        asked.db_id,
        asked.question,
        asked.evidence,
        own_scripts.history_query_id as own_query_id,
        least(own_scripts.executed_at, asked.as_of) as asked_at,
        asked.sql_id,
        asked.outline_id,
    from asked
    left join own_scripts
        on asked.task_set = own_scripts.task_set
        and asked.question_id = own_scripts.question_id

)

select * from placed
