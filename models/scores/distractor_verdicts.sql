with

comparisons as (

    select * from {{ ref('distractor_comparisons') }}

),

verdicts as (

    select * from {{ ref('pair_verdicts') }}

),

results as (

    select * from {{ ref('results') }}

),

judged as (

    select
        comparisons.benchmark,
        comparisons.question_id,
        any_value(comparisons.predicted_statement_id) as statement_id,
        coalesce(any_value(comparisons.predicted_outcome), 'not_run') as outcome,
        any_value(comparisons.predicted_result_id) as result_id,
        bool_or(comparisons.gold_outcome = 'answered') as has_gold_answered,
        bool_or(verdicts.ex) as is_gold_equal,
    from comparisons
    left join verdicts
        on comparisons.order_id = verdicts.order_id
        and comparisons.gold_result_id = verdicts.gold_result_id
        and comparisons.predicted_result_id = verdicts.predicted_result_id
    group by comparisons.benchmark, comparisons.question_id

)

select
    judged.*,
    results.multiset_signature,
from judged
left join results on judged.result_id = results.result_id
