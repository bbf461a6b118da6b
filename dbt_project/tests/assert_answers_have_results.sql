-- A statement that answered has a result, and a stored gold has one.
select
    executions.execution_id as owner_id,
    executions.result_id,
from {{ ref('executions') }} as executions
left join {{ ref('results') }} as results on executions.result_id = results.result_id
where executions.outcome = 'answered' and results.result_id is null

union all

select
    golds.gold_id as owner_id,
    golds.stored_result_id as result_id,
from {{ ref('golds') }} as golds
left join {{ ref('results') }} as results on golds.stored_result_id = results.result_id
where golds.stored_result_id is not null and results.result_id is null
