with

attempts as (

    select * from {{ ref('stg_executions') }}
    where wave_id is not null and statement_id is not null

),

chosen as (

    -- A lost connection is tried again within a wave: the rule is that of `executions`.
    select * from attempts
    qualify row_number() over (
        partition by statement_id, wave_id, coalesce(wave_role, 'between')
        order by (outcome = 'answered') desc, timeout_ms desc, executed_at desc, execution_id asc
    ) = 1

)

select * from chosen
