with

tables as (

    select * from {{ ref('pooled_tables') }}

),

columns as (

    select * from {{ ref('pooled_columns') }}

),

described_columns as (

    select
        benchmark,
        db_id,
        table_key,
        column_position,
        column_name,
        column_name
        || coalesce(' (' || {{ one_line('natural_name') }} || ')', '')
        || coalesce(': ' || {{ one_line('description') }}, '')
        || coalesce(' Values: ' || {{ one_line('value_description') }}, '')
        || coalesce(
            ' Examples: ' || nullif({{ one_line("array_to_string(sample_values, ', ')") }}, ''), ''
        ) as description,
    from columns

),

listed_columns as (

    select
        benchmark,
        db_id,
        table_key,
        string_agg(column_name, ', ' order by column_position) as names,
        string_agg(description, chr(10) order by column_position) as descriptions,
    from described_columns
    group by benchmark, db_id, table_key

),

headed as (

    select
        tables.benchmark,
        tables.db_id,
        tables.table_key,
        tables.db_id || ' ' || tables.table_name as head,
        coalesce(' (' || {{ one_line('tables.natural_name') }} || ')', '')
        || coalesce(': ' || {{ one_line('tables.description') }}, '') as head_description,
        listed_columns.names,
        listed_columns.descriptions,
    from tables
    left join listed_columns
        on tables.benchmark = listed_columns.benchmark
        and tables.db_id = listed_columns.db_id
        and tables.table_key = listed_columns.table_key

),

documents as (

    select
        benchmark,
        db_id,
        table_key,
        'names' as reads,
        head || coalesce(': ' || names, '') as document,
    from headed

    union all

    select
        benchmark,
        db_id,
        table_key,
        'enriched' as reads,
        head || head_description || coalesce(chr(10) || descriptions, '') as document,
    from headed

)

select * from documents
