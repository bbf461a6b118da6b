select
    outcomes.statement_id,
    statements.benchmarks,
    outcomes.plan_sensitivity,
    outcomes.has_changed_result,
    outcomes.answered_prepared_only,
    statements.sql,
from {{ ref('statement_outcomes') }} as outcomes
inner join {{ ref('statements') }} as statements on outcomes.statement_id = statements.statement_id
where outcomes.has_changed_result is not null
