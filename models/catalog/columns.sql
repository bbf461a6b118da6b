with

described as (

    select
        *,
        ({{ source_preference('source') }}, import_id) as preference,
    from {{ ref('stg_columns') }}

),

merged as (

    select
        benchmark,
        db_id,
        lower(table_name) as table_key,
        lower(column_name) as column_key,
        arg_min(table_name, preference) as table_name,
        arg_min(column_name, preference) as column_name,
        arg_min(column_position, preference) filter (where column_position is not null) as column_position,
        arg_min(data_type, preference) filter (where data_type is not null) as data_type,
        arg_min(natural_name, preference) filter (where natural_name is not null) as natural_name,
        -- Prose prefers the sources written for reading.
        arg_max(description, preference) filter (where description is not null) as description,
        arg_max(value_description, preference) filter (where value_description is not null) as value_description,
        arg_min(sample_values, preference) filter (where len(sample_values) > 0) as sample_values,
        bool_or(coalesce(is_primary_key, false)) as is_primary_key,
        arg_max(is_nullable, preference) filter (where is_nullable is not null) as is_nullable,
        max(storage_classes) filter (where storage_classes is not null) as storage_classes,
        list_sort(list_distinct(list(source))) as sources,
    from described
    group by benchmark, db_id, lower(table_name), lower(column_name)

),

typed as (

    select
        *,
        -- Every stored value is an integer: sums over the column are exact, in whatever order they are made.
        coalesce(len(list_filter(storage_classes, lambda class: class not in ('integer', 'null'))) = 0, false)
            as is_integer_only,
    from merged

)

select * from typed
