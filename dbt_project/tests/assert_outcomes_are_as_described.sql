-- The seed `outcomes` says of each outcome whether it counts and whether there was a result.
select
    execution_match.prediction_id,
    execution_match.outcome,
from {{ ref('execution_match') }} as execution_match
inner join {{ ref('outcomes') }} as outcomes on execution_match.outcome = outcomes.outcome
where
    execution_match.is_judged <> outcomes.is_judged
    or execution_match.is_executed <> outcomes.is_executed
