with

statements as (

    select * from {{ ref('union_statements') }}

),

databases as (

    select * from {{ ref('databases') }}

),

pooled_tables as (

    select * from {{ ref('pooled_tables') }}

),

unions as (

    -- Where two benchmarks have the same union, the files of either serve.
    select
        union_id,
        engine,
        min(benchmark) as benchmark,
        arg_min(db_ids, benchmark) as db_ids,
    from statements
    group by union_id, engine

),

members as (

    select
        union_id,
        engine,
        benchmark,
        unnest(db_ids) as db_id,
    from unions

),

shown as (

    select
        unions.union_id,
        unions.engine,
        members.db_id,
        case when databases.engine || '_union' = unions.engine then databases.snapshot_id end as snapshot_id,
        case when databases.engine || '_union' = unions.engine then databases.database_path end as database_path,
        pooled_tables.table_name,
        pooled_tables.prefixed_name,
    from unions
    left join members
        on unions.union_id = members.union_id
        and unions.engine = members.engine
    left join databases
        on members.benchmark = databases.benchmark
        and members.db_id = databases.db_id
    left join pooled_tables
        on members.benchmark = pooled_tables.benchmark
        and members.db_id = pooled_tables.db_id

)

select * from shown
order by union_id, db_id, table_name
