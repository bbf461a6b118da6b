with

golds as (

    select
        benchmark,
        db_id,
        sql_id,
        dialect,
        gold_sql as sql,
        'question' as source,
    from {{ ref('golds') }}
    where gold_edition = 'benchmark' and gold_number = 1 and gold_sql is not null

),

asked as (

    select golds.*
    from golds
    semi join {{ ref('questions') }} as questions on golds.benchmark = questions.benchmark

),

logged as (

    -- The golds of a benchmark are in its history too.
    select
        schema_benchmark as benchmark,
        db_id,
        sql_id,
        dialect,
        sql,
        'log' as source,
    from {{ ref('logged_queries') }}
    where history_kind = 'log' and sql is not null and coalesce(outcome, 'succeeded') = 'succeeded'

),

gathered as (

    select * from asked
    union all
    select * from logged

),

once as (

    select
        benchmark,
        db_id,
        sql_id,
        any_value(dialect) as dialect,
        any_value(sql) as sql,
        bool_or(source = 'log') as is_logged,
        count(*) as n_uses,
    from gathered
    group by benchmark, db_id, sql_id

),

constructs as (

    select * from {{ ref('constructs') }}

),

used as (

    select
        once.benchmark,
        once.db_id,
        once.sql_id,
        list_sort(list(constructs.construct)) as constructs,
    from once
    inner join constructs
        on once.dialect = constructs.dialect
        and {{ uses_construct('once.sql', 'constructs.pattern') }}
    group by once.benchmark, once.db_id, once.sql_id

)

select
    once.benchmark,
    once.db_id,
    once.sql_id,
    once.dialect,
    once.sql,
    once.is_logged,
    once.n_uses,
    coalesce(used.constructs, []) as constructs,
    (sql_analysis(once.sql, once.dialect)).n_joins as n_joins,
from once
left join used
    on once.benchmark = used.benchmark
    and once.db_id = used.db_id
    and once.sql_id = used.sql_id
