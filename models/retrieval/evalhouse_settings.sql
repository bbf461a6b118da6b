with

weights as (

    select * from {{ ref('evalhouse_weights') }}

),

databases as (

    select distinct
        task_set,
        db_id,
    from {{ ref('history_tasks') }}

),

settings as (

    -- A database that weights were tuned on is searched with those of a tuning that left it out.
    select
        databases.task_set,
        databases.db_id,
        weights.*,
    from databases
    inner join weights on coalesce(weights.tuned_without_db_id = databases.db_id, true)
    qualify row_number() over (
        partition by databases.task_set, databases.db_id, weights.uses_questions
        order by weights.tuned_without_db_id asc nulls last
    ) = 1

)

select * from settings
