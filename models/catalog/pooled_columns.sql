with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

columns as (

    select * from {{ ref('columns') }}

),

structural as (

    -- Prose also speaks of columns that no schema has: a description makes no column.
    select columns.*
    from columns
    semi join studied on columns.benchmark = studied.benchmark
    where columns.column_position is not null or columns.data_type is not null

),

placed as (

    select
        benchmark,
        db_id,
        table_key,
        column_key,
        table_name,
        column_name,
        row_number() over (
            partition by benchmark, db_id, table_key
            order by column_position asc nulls last, column_key asc
        ) as column_position,
        data_type,
        natural_name,
        description,
        value_description,
        sample_values,
        is_primary_key,
    from structural

)

select * from placed
