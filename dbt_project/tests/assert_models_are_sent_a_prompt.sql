-- A request to a model has messages, and its setting is one that the seed `prompt_settings` has.
select
    request_id,
    prediction_set,
    question_id,
from {{ ref('requests') }}
where not starts_with(model, 'control/') and messages is null
