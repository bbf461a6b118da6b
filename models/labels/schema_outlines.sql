with

questions as (

    select distinct
        benchmark,
        db_id,
    from {{ ref('questions') }}

),

tables as (

    select * from {{ ref('tables') }}

),

columns as (

    select * from {{ ref('columns') }}

),

listed_columns as (

    select
        benchmark,
        db_id,
        table_key,
        list(column_key order by column_position asc nulls last, column_key asc) as column_keys,
    from columns
    group by benchmark, db_id, table_key

),

known_tables as (

    -- A source may describe the columns of a table that no source lists.
    select
        benchmark,
        db_id,
        table_key,
    from tables
    union
    select
        benchmark,
        db_id,
        table_key,
    from listed_columns

),

listed_tables as (

    select
        known_tables.benchmark,
        known_tables.db_id,
        list(
            {
                'table_key': known_tables.table_key,
                'columns': coalesce(listed_columns.column_keys, []),
            }
            order by known_tables.table_key asc
        ) as outline,
    from known_tables
    left join listed_columns
        on known_tables.benchmark = listed_columns.benchmark
        and known_tables.db_id = listed_columns.db_id
        and known_tables.table_key = listed_columns.table_key
    group by known_tables.benchmark, known_tables.db_id

),

outlined as (

    select
        questions.benchmark,
        questions.db_id,
        coalesce(to_json(listed_tables.outline)::varchar, '[]') as outline,
        md5(coalesce(to_json(listed_tables.outline)::varchar, '[]')) as outline_id,
        coalesce(len(listed_tables.outline), 0) as n_tables,
    from questions
    left join listed_tables
        on questions.benchmark = listed_tables.benchmark
        and questions.db_id = listed_tables.db_id

)

select * from outlined
