with

landed as (

    select * from {{ source('landing', 'executions') }}

),

once as (

    select
        execution_id,
        statement_id,
        engine,
        snapshot_id,
        variant,
        wave_id,
        wave_role,
        outcome,
        error_class,
        error_code,
        error_message,
        result_id,
        n_rows,
        n_columns,
        column_names,
        is_cut,
        is_killed,
        elapsed_ms,
        timeout_ms,
        max_rows,
        executed_at,
    from landed
    qualify row_number() over (partition by execution_id order by landed_at desc) = 1

)

select * from once
