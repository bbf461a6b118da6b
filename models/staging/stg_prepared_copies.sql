with

landed as (

    select * from {{ source('landing', 'prepared_copies') }}

),

once as (

    select
        snapshot_id,
        recipe,
        n_indexes,
        n_bytes,
        elapsed_ms,
        prepared_at,
    from landed
    qualify row_number() over (partition by snapshot_id, recipe order by landed_at desc) = 1

)

select * from once
