with

databases as (

    select * from {{ ref('databases') }}
    where engine = 'sqlite' and has_data

),

columns as (

    select * from {{ ref('columns') }}

),

foreign_keys as (

    select * from {{ ref('foreign_keys') }}

),

key_columns as (

    select
        benchmark,
        db_id,
        table_key,
        column_key,
    from columns
    where is_primary_key

    union

    select
        benchmark,
        db_id,
        table_key,
        column_key,
    from foreign_keys

    union

    select
        benchmark,
        db_id,
        referenced_table_key as table_key,
        referenced_column_key as column_key,
    from foreign_keys

),

indexes as (

    select distinct
        databases.snapshot_id,
        databases.database_path,
        columns.table_name,
        [columns.column_name] as column_names,
    from key_columns
    inner join databases
        on key_columns.benchmark = databases.benchmark
        and key_columns.db_id = databases.db_id
    inner join columns
        on key_columns.benchmark = columns.benchmark
        and key_columns.db_id = columns.db_id
        and key_columns.table_key = columns.table_key
        and key_columns.column_key = columns.column_key
    where 'introspection' in columns.sources

)

select * from indexes
order by database_path, table_name, column_names
