with

statements as (

    select * from {{ ref('statements') }}

),

file_executions as (

    select * exclude (n_attempts, timed_out_at_ms)
    from {{ ref('executions') }}
    where wave_id is null

),

wave_executions as (

    select * from {{ ref('wave_executions') }}

),

sensitivity as (

    select * from {{ ref('statement_sensitivity') }}

),

begun as (

    -- What a wave says of a statement: of a gold what it gave at the start, also where a prediction has the same text.
    select * from wave_executions
    where coalesce(wave_role, 'between') <> 'end'
    qualify row_number() over (partition by statement_id, wave_id order by (wave_role = 'start') desc nulls last) = 1

),

untouched_executions as (

    select * from file_executions
    where variant = 'untouched'

    union all by name

    select * from begun

),

side_by_side as (

    select
        statements.statement_id,
        statements.sql_id,
        coalesce(sensitivity.is_plan_sensitive, false) as is_plan_sensitive,
        coalesce(sensitivity.is_row_sensitive, false) as is_row_sensitive,
        coalesce(sensitivity.is_float_sensitive, false) as is_float_sensitive,
        coalesce(sensitivity.plan_sensitivity, []) as plan_sensitivity,
        prepared.outcome as prepared_outcome,
        prepared.result_id as prepared_result_id,
        untouched.outcome as untouched_outcome,
        untouched.result_id as untouched_result_id,
        -- What the untouched file said counts, where it was asked.
        coalesce(untouched.variant, prepared.variant) as variant,
        if(untouched.statement_id is not null, untouched, prepared) as execution,
        ended.outcome as end_outcome,
        ended.error_class as end_error_class,
        ended.error_message as end_error_message,
        ended.result_id as end_result_id,
    from statements
    left join sensitivity on statements.statement_id = sensitivity.statement_id
    left join file_executions as prepared
        on statements.statement_id = prepared.statement_id
        and prepared.variant = 'prepared'
    left join untouched_executions as untouched on statements.statement_id = untouched.statement_id
    left join wave_executions as ended
        on untouched.statement_id = ended.statement_id
        and untouched.wave_id = ended.wave_id
        and untouched.wave_role = 'start'
        and ended.wave_role = 'end'

),

outcomes as (

    select
        statement_id,
        execution.wave_id,
        sql_id,
        variant,
        is_plan_sensitive,
        is_row_sensitive,
        is_float_sensitive,
        plan_sensitivity,
        coalesce(execution.outcome, 'not_run') as outcome,
        execution.error_class,
        execution.error_code,
        execution.error_message,
        execution.result_id,
        execution.n_rows,
        execution.n_columns,
        execution.column_names,
        execution.is_cut,
        execution.is_killed,
        execution.elapsed_ms,
        execution.timeout_ms,
        execution.executed_at,
        end_outcome,
        end_error_class,
        end_error_message,
        end_result_id,
        coalesce(prepared_outcome = 'answered' and untouched_outcome = 'timed_out', false) as answered_prepared_only,
        -- NULL until it was run both ways.
        case
            when prepared_outcome is not null and untouched_outcome is not null
                then prepared_outcome is distinct from untouched_outcome
                    or prepared_result_id is distinct from untouched_result_id
        end as has_changed_result,
    from side_by_side

)

select * from outcomes
