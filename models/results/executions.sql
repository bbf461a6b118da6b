with

attempts as (

    select * from {{ ref('stg_executions') }}
    where statement_id is not null

),

ranked as (

    -- Of several attempts an answer is preferred to a failure, and of failures the one given most time.
    select
        *,
        -- On a live database a gold runs twice in one attempt.
        count(distinct coalesce(wave_id, execution_id)) over (partition by statement_id, variant) as n_attempts,
        max(timeout_ms) filter (where outcome = 'timed_out') over (partition by statement_id, variant)
            as timed_out_at_ms,
        row_number() over (
            partition by statement_id, variant
            order by (outcome = 'answered') desc, timeout_ms desc, executed_at desc, execution_id asc
        ) as preference,
    from attempts

),

chosen as (

    select * exclude (preference)
    from ranked
    where preference = 1

)

select * from chosen
