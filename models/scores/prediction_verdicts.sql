{% set verdicts = ['ex_set', 'ex_multiset', 'ex', 'ex_strict', 'ex_permuted', 'ex_projection', 'ex_tolerant'] -%}

with

predictions as (

    select * from {{ ref('predictions') }}

),

scoreability as (

    select * from {{ ref('question_scoreability') }}

),

waves as (

    select * from {{ ref('prediction_waves') }}
    where is_chosen

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}

),

unions as (

    select
        statement_id,
        any_value(db_ids) as db_ids,
    from {{ ref('union_statements') }}
    group by statement_id

),

nearest as (

    select * from {{ ref('comparison_verdicts') }}
    where is_nearest_gold

),

best as (

    -- Of several golds, the best verdict counts.
    select
        prediction_id,
        {% for verdict in verdicts -%}
        case
            when bool_or({{ verdict }}) then true
            -- Undecided against one gold and wrong against the others is undecided.
            when bool_or(pair_id is not null and {{ verdict }} is null) then null
            else false
        end as {{ verdict }},
        {% endfor %}
    from {{ ref('comparison_verdicts') }}
    group by prediction_id

),

hardness as (

    select * from {{ ref('gold_hardness') }}
    where gold_number = 1

),

hinges as (

    select * from {{ ref('plan_hinges') }}

),

unresolved_names as (

    select distinct statement_id
    from {{ ref('unresolved_names') }}

),

judged as (

    select
        predictions.*,
        hardness.spider_hardness,
        coalesce(scoreability.status, 'no_gold') as question_status,
        coalesce(scoreability.is_scoreable, false) as is_scoreable,
        -- What reads another database than gold's is wrong whether or not that one's file is at hand.
        coalesce(
            outcomes.outcome = 'no_database'
            and len(list_filter(unions.db_ids, lambda db_id: db_id <> predictions.db_id)) > 0,
            false
        ) as is_another_database_lost,
        case
            when predictions.is_other_dialect then 'refused'
            when is_another_database_lost then 'failed'
            else coalesce(outcomes.outcome, 'not_run')
        end as predicted_outcome,
        case
            when predictions.is_other_dialect then 'other_dialect'
            when is_another_database_lost then 'no_data'
            else outcomes.error_class
        end as error_class,
        outcomes.error_message,
        waves.wave_id,
        outcomes.elapsed_ms,
        outcomes.variant,
        coalesce(outcomes.is_killed, false) as is_killed,
        coalesce(outcomes.is_plan_sensitive, false) as is_plan_sensitive,
        coalesce(outcomes.answered_prepared_only, false) as answered_prepared_only,
        unresolved_names.statement_id is not null as has_unresolved_name,
        hinges.statement_id is not null
            or gold_hinges.statement_id is not null
            or coalesce(scoreability.is_any_gold_waiting, false) as is_provisional,
        nearest.gold_id as matched_gold_id,
        nearest.pair_id,
        nearest.order_rule,
        coalesce(nearest.is_limit_tie, false) as is_limit_tie,
        case when nearest.gold_id is null then false else nearest.is_order_by_luck end as is_order_by_luck,
        nearest.n_gold_rows,
        nearest.n_predicted_rows,
        nearest.n_common_rows,
        nearest.reason as pair_reason,
        best.* exclude (prediction_id),
    from predictions
    left join scoreability
        on predictions.benchmark = scoreability.benchmark
        and predictions.question_id = scoreability.question_id
        and predictions.gold_edition = scoreability.gold_edition
    left join hardness
        on predictions.benchmark = hardness.benchmark
        and predictions.question_id = hardness.question_id
        and predictions.gold_edition = hardness.gold_edition
    left join waves on predictions.prediction_id = waves.prediction_id
    left join outcomes
        on predictions.statement_id = outcomes.statement_id
        and waves.wave_id is not distinct from outcomes.wave_id
    left join unions on predictions.statement_id = unions.statement_id
    left join nearest on predictions.prediction_id = nearest.prediction_id
    left join best on predictions.prediction_id = best.prediction_id
    left join unresolved_names on predictions.statement_id = unresolved_names.statement_id
    left join hinges on predictions.statement_id = hinges.statement_id
    left join hinges as gold_hinges on nearest.gold_statement_id = gold_hinges.statement_id

),

named as (

    select
        *,
        case
            when is_waiting then 'waiting'
            when question_status = 'no_database' then 'no_database'
            when question_status = 'not_run' then 'not_run'
            when question_status = 'gold_drifted' then 'gold_drifted'
            when question_status = 'gold_unsupported' then 'unsupported'
            when not is_scoreable then 'gold_failed'
            when issue in ('over_cap', 'no_labels') then 'infeasible'
            when issue = 'truncated' then 'truncated'
            when predicted_sql is null then 'empty'
            when predicted_outcome = 'not_run' then 'not_run'
            when predicted_outcome = 'no_database' then 'no_database'
            when predicted_outcome = 'unsupported' then 'unsupported'
            when predicted_outcome = 'timed_out' then 'timed_out'
            when predicted_outcome = 'refused' and error_class = 'empty' then 'empty'
            when predicted_outcome = 'refused' then 'refused'
            when predicted_outcome = 'failed' and error_class = 'syntax' then 'did_not_parse'
            when predicted_outcome <> 'answered' then 'prediction_failed'
            when ex then 'match'
            when ex is null then 'cut'
            else 'mismatch'
        end as outcome,
    from judged

),

explained as (

    select
        *,
        case
            when outcome in ('match', 'mismatch', 'cut') then coalesce(pair_reason, outcome)
            when outcome = 'gold_failed' or question_status = 'gold_unsupported' then question_status
            when outcome = 'empty' then coalesce(issue, 'empty')
            when outcome = 'infeasible' then issue
            when outcome = 'did_not_parse' then 'syntax'
            when outcome = 'timed_out' then 'timed_out'
            when outcome in ('refused', 'prediction_failed') then coalesce(error_class, predicted_outcome)
            else outcome
        end as reason,
        outcome in ('match', 'mismatch', 'cut') as is_executed,
        outcome not in (
            'waiting', 'not_run', 'no_database', 'unsupported', 'gold_drifted', 'gold_failed', 'infeasible'
        ) as is_judged,
    from named

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
    -- A prediction without a result is wrong under every verdict; a question that cannot be scored has none.
    case when is_executed then {{ verdict }} when is_judged then false end as {{ verdict }},
    {% endfor -%}
    matched_gold_id,
    pair_id,
    order_rule,
    n_gold_rows,
    n_predicted_rows,
    n_common_rows,
    is_scoreable,
    predicted_sql is not null as is_generated,
    is_executed,
    is_judged,
    coalesce(reason = 'match_empty', false) as is_match_empty,
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
from explained
