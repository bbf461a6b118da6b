-- A statement's key holds engine and snapshot: an execution under that key ran on that snapshot, by that engine.
select
    executions.statement_id,
    executions.engine,
    executions.snapshot_id,
from {{ ref('executions') }} as executions
inner join {{ ref('statements') }} as statements on executions.statement_id = statements.statement_id
where
    executions.engine <> statements.engine
    or executions.snapshot_id <> statements.snapshot_id
