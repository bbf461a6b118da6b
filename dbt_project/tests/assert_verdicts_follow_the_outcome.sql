-- A prediction that is not judged has no verdict; one without a result is wrong; a match is `ex`.
select
    prediction_id,
    outcome,
    ex,
    ex_set,
from {{ ref('execution_match') }}
where
    (not is_judged and (ex is not null or ex_set is not null))
    or (is_judged and not is_executed and (ex or ex is null or ex_set or ex_set is null))
    or (outcome = 'match') <> coalesce(ex, false)
    or (outcome = 'cut') <> (is_judged and ex is null)
