with

landed as (

    select * from {{ source('landing', 'tables') }}

),

current_once as (

    select
        import_id,
        benchmark,
        db_id,
        source,
        table_name,
        table_position,
        natural_name,
        description,
        n_rows,
        is_row_estimate,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, db_id, table_name order by landed_at desc) = 1

)

select * from current_once
