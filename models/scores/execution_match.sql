{% set verdicts = ['ex_set', 'ex_multiset', 'ex', 'ex_strict', 'ex_permuted', 'ex_projection', 'ex_tolerant'] -%}

with

verdicts as (

    select
        *,
        false as is_derived,
        null::varchar as derived_from_prediction_id,
    from {{ ref('prediction_verdicts') }}

),

majority_choices as (

    select * from {{ ref('majority_choices') }}

),

unsettled as (

    -- Where the verdict or the result of any sample may change, so may the choice among them.
    select
        prediction_set,
        benchmark,
        question_id,
        bool_or(is_provisional) as is_provisional,
    from verdicts
    group by prediction_set, benchmark, question_id

),

chosen as (

    -- What a chosen sample was found to be holds for the derived prediction: nothing is judged twice.
    select verdicts.* replace (
        majority_choices.prediction_id as prediction_id,
        majority_choices.prediction_set as prediction_set,
        1 as sample,
        unsettled.is_provisional as is_provisional,
        true as is_derived,
        majority_choices.derived_from_prediction_id as derived_from_prediction_id
    )
    from majority_choices
    inner join verdicts on majority_choices.derived_from_prediction_id = verdicts.prediction_id
    inner join unsettled
        on majority_choices.from_prediction_set = unsettled.prediction_set
        and majority_choices.benchmark = unsettled.benchmark
        and majority_choices.question_id = unsettled.question_id

),

waiting as (

    -- No choice yet: all that is known is the question.
    select
        majority_choices.prediction_id,
        majority_choices.prediction_set,
        majority_choices.question_id,
        1 as sample,
        majority_choices.benchmark,
        verdicts.db_id,
        verdicts.difficulty,
        verdicts.spider_hardness,
        verdicts.gold_edition,
        'waiting' as outcome,
        'waiting' as reason,
        verdicts.is_scoreable,
        false as is_generated,
        false as is_executed,
        false as is_judged,
        false as is_match_empty,
        false as is_limit_tie,
        false as is_order_by_luck,
        false as is_plan_sensitive,
        false as answered_prepared_only,
        false as has_unresolved_name,
        false as is_provisional,
        false as is_killed,
        true as is_derived,
    from majority_choices
    inner join verdicts on majority_choices.first_prediction_id = verdicts.prediction_id
    where majority_choices.derived_from_prediction_id is null

),

everything as (

    select * from verdicts
    union all by name
    select * from chosen
    union all by name
    select * from waiting

)

select
    prediction_id,
    prediction_set,
    question_id,
    sample,
    benchmark,
    db_id,
    difficulty,
    spider_hardness,
    gold_edition,
    outcome,
    reason,
    {% for verdict in verdicts -%}
    {{ verdict }},
    {% endfor -%}
    matched_gold_id,
    pair_id,
    order_rule,
    n_gold_rows,
    n_predicted_rows,
    n_common_rows,
    is_scoreable,
    is_generated,
    is_executed,
    is_judged,
    is_match_empty,
    is_limit_tie,
    is_order_by_luck,
    is_plan_sensitive,
    answered_prepared_only,
    has_unresolved_name,
    is_provisional,
    is_killed,
    variant,
    wave_id,
    elapsed_ms,
    error_class,
    error_message,
    statement_id,
    sql_id,
    is_derived,
    derived_from_prediction_id,
from everything
