with

landed as (

    select * from {{ source('landing', 'columns') }}

),

current_once as (

    select
        import_id,
        benchmark,
        db_id,
        source,
        table_name,
        column_name,
        column_position,
        data_type,
        natural_name,
        description,
        value_description,
        sample_values,
        is_primary_key,
        is_nullable,
        storage_classes,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, db_id, table_name, column_name, source order by landed_at desc) = 1

)

select * from current_once
