with

texts as (

    select * from {{ ref('union_texts') }}

),

tables_read as (

    select distinct
        text_id,
        db_id,
    from {{ ref('tables_read') }}
    where db_id is not null

),

databases as (

    select * from {{ ref('databases') }}

),

pooled_tables as (

    select * from {{ ref('pooled_tables') }}

),

engines as (

    select * from {{ ref('engines') }}

),

shown_tables as (

    -- A table more or by another name is another union: what was unknown in this one may be there.
    select
        benchmark,
        db_id,
        md5(string_agg(table_key || chr(31) || prefixed_name, chr(30) order by table_key)) as tables_digest,
    from pooled_tables
    group by benchmark, db_id

),

members as (

    select
        texts.text_id,
        tables_read.db_id,
        concat(
            tables_read.db_id, chr(31),
            if(databases.engine || '_union' = texts.engine, databases.snapshot_id, null), chr(31),
            shown_tables.tables_digest
        ) as identity,
    from texts
    inner join tables_read on texts.text_id = tables_read.text_id
    left join databases
        on texts.benchmark = databases.benchmark
        and tables_read.db_id = databases.db_id
    left join shown_tables
        on texts.benchmark = shown_tables.benchmark
        and tables_read.db_id = shown_tables.db_id

),

unions as (

    select
        text_id,
        list(db_id order by db_id) as db_ids,
        md5(string_agg(identity, chr(30) order by db_id)) as union_id,
    from members
    group by text_id

),

placed as (

    select
        texts.text_id,
        texts.benchmark,
        texts.naming,
        texts.engine,
        coalesce(unions.db_ids, []) as db_ids,
        coalesce(unions.union_id, md5('')) as union_id,
        texts.union_sql_id as sql_id,
        texts.union_sql as sql,
        -- A gold is run where its own database is at hand and every name of it could be replaced.
        texts.dialect = engines.dialect
        and (texts.naming <> 'own' or (texts.problem is null and coalesce(own.has_data, false))) as is_run,
    from texts
    left join unions on texts.text_id = unions.text_id
    inner join engines on texts.engine = engines.engine
    left join databases as own
        on texts.benchmark = own.benchmark
        and texts.db_id = own.db_id

),

statements as (

    select
        {{ statement_id('engine', 'union_id', 'sql') }} as statement_id,
        text_id,
        benchmark,
        naming,
        engine,
        union_id,
        db_ids,
        sql_id,
        sql,
    from placed
    where is_run

)

select * from statements
