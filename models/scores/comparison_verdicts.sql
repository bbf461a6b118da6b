with

comparisons as (

    select * from {{ ref('comparisons') }}

),

verdicts as (

    select * from {{ ref('pair_verdicts') }}

),

reasons as (

    select * from {{ ref('pair_reasons') }}

),

luck as (

    select * from {{ ref('order_luck') }}

),

judged as (

    select
        comparisons.prediction_id,
        comparisons.gold_id,
        comparisons.gold_number,
        comparisons.gold_outcome,
        comparisons.gold_statement_id,
        verdicts.pair_id,
        comparisons.order_rule,
        comparisons.is_limit_tie,
        verdicts.ex_set,
        verdicts.ex_multiset,
        verdicts.ex,
        verdicts.ex_strict,
        verdicts.ex_permuted,
        verdicts.ex_projection,
        verdicts.ex_tolerant,
        verdicts.column_mapping,
        verdicts.n_gold_rows,
        verdicts.n_predicted_rows,
        verdicts.n_common_rows,
        reasons.reason,
        case when luck.gold_id is null then false else luck.is_order_by_luck end as is_order_by_luck,
        -- The gold that a prediction is told about: the one it comes nearest to, the first of equals.
        row_number() over (
            partition by comparisons.prediction_id
            order by
                coalesce(verdicts.ex, false) desc,
                -- What may match is nearer than what does not: so an undecided verdict has the reason why.
                (verdicts.pair_id is not null and verdicts.ex is null) desc,
                coalesce(verdicts.ex_multiset, false) desc,
                coalesce(verdicts.ex_set, false) desc,
                coalesce(verdicts.ex_permuted, false) desc,
                coalesce(verdicts.ex_projection, false) desc,
                coalesce(verdicts.ex_tolerant, false) desc,
                (comparisons.gold_outcome = 'answered') desc,
                comparisons.gold_number asc
        ) = 1 as is_nearest_gold,
    from comparisons
    left join verdicts
        on comparisons.order_id = verdicts.order_id
        and comparisons.gold_result_id = verdicts.gold_result_id
        and comparisons.predicted_result_id = verdicts.predicted_result_id
    left join reasons on verdicts.pair_id = reasons.pair_id
    left join luck
        on comparisons.prediction_id = luck.prediction_id
        and comparisons.gold_id = luck.gold_id

)

select * from judged
