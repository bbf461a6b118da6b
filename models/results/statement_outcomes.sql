with

statements as (

    select * from {{ ref('statements') }}

),

executions as (

    select * from {{ ref('executions') }}

),

sensitivity as (

    select * from {{ ref('statement_sensitivity') }}

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
    from statements
    left join sensitivity on statements.statement_id = sensitivity.statement_id
    left join executions as prepared
        on statements.statement_id = prepared.statement_id
        and prepared.variant = 'prepared'
    left join executions as untouched
        on statements.statement_id = untouched.statement_id
        and untouched.variant = 'untouched'

),

outcomes as (

    select
        statement_id,
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
