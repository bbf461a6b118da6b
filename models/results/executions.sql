with

attempts as (

    select * from {{ ref('stg_executions') }}
    where statement_id is not null

),

in_waves as (

    -- A wave that was interrupted before its golds ran again does not count: what timed out in it is due once more.
    select
        *,
        wave_id is not null
        and bool_or(coalesce(wave_role = 'start', false)) over (partition by wave_id)
        and not bool_or(coalesce(wave_role = 'end', false)) over (partition by wave_id) as is_interrupted,
    from attempts

),

ranked as (

    -- Of several attempts an answer is preferred to a failure, and of failures the one given most time.
    select
        *,
        -- On a live database a gold runs twice in one attempt.
        count(distinct coalesce(wave_id, execution_id)) over (partition by statement_id, variant) as n_attempts,
        max(timeout_ms) filter (where outcome = 'timed_out' and not is_interrupted)
            over (partition by statement_id, variant) as timed_out_at_ms,
        row_number() over (
            partition by statement_id, variant
            order by (outcome = 'answered') desc, timeout_ms desc, executed_at desc, execution_id asc
        ) as preference,
    from in_waves

),

chosen as (

    select * exclude (preference, is_interrupted)
    from ranked
    where preference = 1

)

select * from chosen
