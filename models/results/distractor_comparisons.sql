with

distractors as (

    select * from {{ ref('distractors') }}

),

golds as (

    select * from {{ ref('gold_outcomes') }}
    where gold_edition = 'benchmark'

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}
    where wave_id is null

)

select
    distractors.benchmark,
    distractors.question_id,
    golds.gold_id,
    golds.gold_number,
    golds.statement_id as gold_statement_id,
    golds.wave_id,
    golds.outcome as gold_outcome,
    golds.result_id as gold_result_id,
    golds.order_rule,
    golds.order_id,
    golds.is_order_asked,
    golds.is_limit_tie,
    golds.is_order_unkept,
    golds.is_limited,
    distractors.statement_id as predicted_statement_id,
    outcomes.outcome as predicted_outcome,
    outcomes.result_id as predicted_result_id,
from distractors
inner join golds
    on distractors.benchmark = golds.benchmark
    and distractors.question_id = golds.question_id
left join outcomes on distractors.statement_id = outcomes.statement_id
