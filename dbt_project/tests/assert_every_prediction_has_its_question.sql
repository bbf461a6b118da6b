-- A prediction whose question is no longer in the benchmark is left out of every number: say so. Only a warning:
-- another edition of the benchmark may really have fewer questions.
{{ config(severity='warn') }}

select
    predictions.prediction_set,
    predictions.benchmark,
    predictions.question_id,
from {{ ref('stg_predictions') }} as predictions
anti join {{ ref('questions') }} as questions
    on predictions.benchmark = questions.benchmark
    and predictions.question_id = questions.question_id

union all

select
    golds.gold_edition as prediction_set,
    golds.benchmark,
    golds.question_id,
from {{ ref('stg_golds') }} as golds
anti join {{ ref('questions') }} as questions
    on golds.benchmark = questions.benchmark
    and golds.question_id = questions.question_id
