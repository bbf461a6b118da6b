with

histories as (

    select distinct
        history,
        history_kind,
        schema_benchmark,
    from {{ ref('history_benchmarks') }}

),

golds as (

    select * from {{ ref('golds') }}
    where
        gold_edition = 'benchmark'
        and gold_number = 1
        and gold_sql is not null

),

questions as (

    select * from {{ ref('questions') }}

),

logs as (

    select * from {{ ref('stg_history_queries') }}

),

databases as (

    select * from {{ ref('databases') }}

),

engines as (

    select * from {{ ref('engines') }}

),

asked_dialects as (

    select
        benchmark,
        db_id,
        min(dialect) as dialect,
    from questions
    group by benchmark, db_id

),

database_dialects as (

    -- Of a database without a data file its questions say what is spoken there.
    select
        databases.benchmark,
        databases.db_id,
        coalesce(engines.dialect, asked_dialects.dialect) as dialect,
    from databases
    left join engines on databases.engine = engines.engine
    left join asked_dialects
        on databases.benchmark = asked_dialects.benchmark
        and databases.db_id = asked_dialects.db_id

),

of_benchmarks as (

    select
        histories.history,
        histories.history_kind,
        histories.schema_benchmark,
        golds.question_id as history_query_id,
        questions.question_position as query_position,
        golds.db_id,
        golds.gold_sql as sql,
        golds.dialect,
        questions.question,
        null::timestamptz as executed_at,
        null::varchar as outcome,
        null::varchar as error,
    from histories
    inner join golds on histories.history = golds.benchmark
    inner join questions
        on golds.benchmark = questions.benchmark
        and golds.question_id = questions.question_id
    where histories.history_kind = 'benchmark'

),

of_logs as (

    select
        histories.history,
        histories.history_kind,
        histories.schema_benchmark,
        logs.history_query_id,
        logs.query_position,
        logs.db_id,
        logs.sql,
        logs.dialect,
        logs.question,
        logs.executed_at,
        logs.outcome,
        logs.error,
    from histories
    inner join logs on histories.history = logs.history
    where histories.history_kind = 'log'

),

unioned as (

    select * from of_benchmarks
    union all
    select * from of_logs

),

keyed as (

    select
        unioned.history,
        unioned.history_kind,
        unioned.history_query_id,
        unioned.query_position,
        unioned.schema_benchmark,
        unioned.db_id,
        unioned.sql,
        case when trim(unioned.sql) <> ''
            then {{ sql_id('coalesce(unioned.dialect, database_dialects.dialect)', 'unioned.sql') }} end as sql_id,
        coalesce(unioned.dialect, database_dialects.dialect) as dialect,
        database_dialects.dialect as database_dialect,
        unioned.question,
        unioned.executed_at,
        unioned.outcome,
        unioned.error,
    from unioned
    left join database_dialects
        on unioned.schema_benchmark = database_dialects.benchmark
        and unioned.db_id = database_dialects.db_id

)

select * from keyed
