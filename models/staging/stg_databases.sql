with

landed as (

    select * from {{ source('landing', 'databases') }}

),

current_once as (

    select
        import_id,
        benchmark,
        db_id,
        source,
        engine,
        path,
        snapshot_id,
        n_bytes,
        connection,
        search_path,
        schema_id,
        tier,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, db_id order by landed_at desc) = 1

)

select * from current_once
