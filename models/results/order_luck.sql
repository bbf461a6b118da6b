with

probes as (

    select * from {{ ref('order_luck_probes') }}

),

comparisons as (

    select * from {{ ref('comparisons') }}

),

verdicts as (

    select * from {{ ref('pair_verdicts') }}
    where ex and order_rule <> 'none' and n_gold_rows > 1 and not are_both_empty

),

golds as (

    select * from {{ ref('gold_outcomes') }}

),

texts as (

    select distinct
        statement_id,
        sql_id,
    from {{ ref('statement_outcomes') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

executions as (

    select * from {{ ref('executions') }}
    where outcome = 'answered' and not is_cut

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

gold_positions as (

    select * from {{ ref('gold_order_positions') }}

),

matched as (

    select
        comparisons.prediction_id,
        comparisons.gold_id,
        comparisons.predicted_statement_id,
        comparisons.gold_statement_id,
        comparisons.wave_id,
        comparisons.order_rule,
        texts.sql_id,
        greatest(coalesce(syntax.offset_rows, 0), 0) as n_skipped,
        verdicts.n_gold_rows,
        golds.n_tie_groups,
    from comparisons
    inner join verdicts
        on comparisons.order_id = verdicts.order_id
        and comparisons.gold_result_id = verdicts.gold_result_id
        and comparisons.predicted_result_id = verdicts.predicted_result_id
    inner join golds
        on comparisons.gold_id = golds.gold_id
        and comparisons.wave_id is not distinct from golds.wave_id
    inner join texts on comparisons.predicted_statement_id = texts.statement_id
    left join syntax on texts.sql_id = syntax.sql_id
    -- Only where gold's own order says something about these rows.
    where comparisons.order_rule = 'strict' or golds.n_tie_groups > 1

),

probe_results as (

    select
        probes.predicted_statement_id,
        arg_max(executions.result_id, executions.variant) as result_id,
    from probes
    inner join executions on probes.statement_id = executions.statement_id
    group by probes.predicted_statement_id

),

predicted_ties as (

    -- Each row of a probe holds the rank of the row by the prediction's own order keys.
    select
        probe_results.predicted_statement_id,
        cast(substr(result_rows.cells[-1], 3) as bigint) as order_rank,
        count(*) as n_tied,
    from probe_results
    inner join result_rows on probe_results.result_id = result_rows.result_id
    group by all

),

groups_within_ties as (

    -- A tie of the prediction that spans two of gold's groups came out right by luck.
    select
        matched.prediction_id,
        matched.gold_id,
        predicted_ties.order_rank,
        any_value(predicted_ties.n_tied) as n_tied,
        count(distinct case when matched.order_rule = 'strict' then places.position else gold_positions.order_rank end)
            as n_gold_groups,
    from matched
    inner join predicted_ties on matched.predicted_statement_id = predicted_ties.predicted_statement_id
    cross join lateral (
        select unnest(range(
            greatest(predicted_ties.order_rank - matched.n_skipped, 1),
            least(predicted_ties.order_rank + predicted_ties.n_tied - matched.n_skipped, matched.n_gold_rows + 1)
        )) as position
    ) as places
    left join gold_positions
        on matched.gold_statement_id = gold_positions.statement_id
        and matched.wave_id is not distinct from gold_positions.wave_id
        and places.position = gold_positions.position
    group by matched.prediction_id, matched.gold_id, predicted_ties.order_rank

),

probed as (

    select
        prediction_id,
        gold_id,
        max(n_gold_groups) > 1 as has_lucky_tie,
    from groups_within_ties
    group by prediction_id, gold_id

),

luck as (

    select
        matched.prediction_id,
        matched.gold_id,
        case
            when not syntax.is_ordered then true
            else probed.has_lucky_tie
        end as is_order_by_luck,
    from matched
    left join syntax on matched.sql_id = syntax.sql_id
    left join probed
        on matched.prediction_id = probed.prediction_id
        and matched.gold_id = probed.gold_id

)

select * from luck
