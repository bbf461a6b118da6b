with

described as (

    select
        *,
        ({{ source_preference('source') }}, import_id) as preference,
    from {{ ref('stg_tables') }}

),

merged as (

    -- Sources spell one table in several cases; names are compared without case, as SQL compares them.
    select
        benchmark,
        db_id,
        lower(table_name) as table_key,
        arg_min(table_name, preference) as table_name,
        arg_min(table_position, preference) filter (where table_position is not null) as table_position,
        arg_min(natural_name, preference) filter (where natural_name is not null) as natural_name,
        arg_min(description, preference) filter (where description is not null) as description,
        max(n_rows) as n_rows,
        coalesce(arg_max(coalesce(is_row_estimate, false), n_rows), false) as is_row_estimate,
        list_sort(list_distinct(list(source))) as sources,
    from described
    group by benchmark, db_id, lower(table_name)

)

select * from merged
