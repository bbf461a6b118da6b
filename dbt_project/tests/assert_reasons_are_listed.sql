-- Every outcome and reason stands in the seed `reasons`, with its meaning. Only a warning: an engine may have an
-- error of a class that nobody has described yet.
{{ config(severity='warn') }}

select distinct
    execution_match.outcome,
    execution_match.reason,
from {{ ref('execution_match') }} as execution_match
anti join {{ ref('reasons') }} as reasons
    on execution_match.outcome = reasons.outcome
    and execution_match.reason = reasons.reason
