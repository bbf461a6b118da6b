with

landed as (

    select * from {{ source('landing', 'foreign_keys') }}

),

current_once as (

    select
        import_id,
        benchmark,
        db_id,
        source,
        key_name,
        key_position,
        table_name,
        column_name,
        referenced_table,
        referenced_column,
        is_inferred,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, db_id, table_name, column_name, referenced_table, referenced_column order by landed_at desc) = 1

)

select * from current_once
