with

landed as (

    select * from {{ source('landing', 'divergence_checks') }}

),

once as (

    select
        check_id,
        divergence_id,
        engine,
        snapshot_id,
        outcome,
        reason,
        kind,
        assumption_classes,
        assumptions,
        n_instances,
        gold_columns,
        predicted_columns,
        gold_rows,
        predicted_rows,
        predicted_error,
        witness,
        is_killed,
        elapsed_ms,
        timeout_ms,
        checker_version,
        checked_at,
    from landed
    qualify row_number() over (partition by check_id order by landed_at desc) = 1

)

select * from once
