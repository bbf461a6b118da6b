with

landed as (

    select * from {{ source('landing', 'imports') }}

),

once as (

    select * from landed
    qualify row_number() over (partition by import_id order by landed_at desc) = 1

),

ranked as (

    select
        import_id,
        kind as import_kind,
        scope as import_scope,
        benchmark,
        prediction_set,
        files,
        file_sha256,
        options,
        is_partial,
        n_rows,
        n_refused,
        imported_at,
        -- One system may answer several benchmarks under one name.
        row_number() over (
            partition by scope, if(kind = 'predictions', benchmark, null)
            order by imported_at desc, import_id asc
        ) = 1 as is_current
    from once

)

select * from ranked
