with

described as (

    select
        *,
        ({{ source_preference('source') }}, import_id) as preference,
    from {{ ref('stg_foreign_keys') }}

),

merged as (

    select
        benchmark,
        db_id,
        lower(table_name) as table_key,
        lower(column_name) as column_key,
        lower(referenced_table) as referenced_table_key,
        lower(referenced_column) as referenced_column_key,
        arg_min(table_name, preference) as table_name,
        arg_min(column_name, preference) as column_name,
        arg_min(referenced_table, preference) as referenced_table,
        arg_min(referenced_column, preference) as referenced_column,
        -- Sources number their keys alike: two pairs belong to one key where one source says so.
        arg_min(concat_ws(' ', source, key_name), preference) as key_name,
        arg_min(key_position, preference) as key_position,
        bool_and(coalesce(is_inferred, false)) as is_inferred,
        list_sort(list_distinct(list(source))) as sources,
    from described
    group by all

)

select * from merged
