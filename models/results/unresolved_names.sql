with

uses as (

    select distinct
        statement_id,
        sql_id,
        benchmark,
        db_id,
        engine,
    from {{ ref('statement_uses') }}
    where sql_id is not null

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

columns as (

    select * from {{ ref('columns') }}

),

tables as (

    select * from {{ ref('tables') }}

),

known_names as (

    select
        benchmark,
        db_id,
        column_key as name_key,
    from columns
    union
    select
        benchmark,
        db_id,
        table_key as name_key,
    from tables

),

quoted_names as (

    select
        uses.statement_id,
        uses.benchmark,
        uses.db_id,
        unnest(syntax.findings) as finding,
    from uses
    inner join syntax on uses.sql_id = syntax.sql_id
    -- Only SQLite takes an unknown name in double quotes for a text.
    where uses.engine in ('sqlite', 'sqlite_union')

),

unresolved as (

    select
        quoted_names.statement_id,
        quoted_names.benchmark,
        quoted_names.db_id,
        quoted_names.finding.detail as name,
    from quoted_names
    left join known_names
        on quoted_names.benchmark = known_names.benchmark
        and quoted_names.db_id = known_names.db_id
        and lower(quoted_names.finding.detail) = known_names.name_key
    where
        quoted_names.finding.code = 'double_quoted_name'
        and known_names.name_key is null

)

select distinct * from unresolved
