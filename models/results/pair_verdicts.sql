with

exact as (

    select * from {{ ref('pair_exact_verdicts') }}

),

loose as (

    select * from {{ ref('pair_loose_verdicts') }}

),

row_overlaps as (

    select * from {{ ref('pair_row_overlaps') }}

),

verdicts as (

    select
        exact.pair_id,
        exact.order_id,
        exact.order_rule,
        exact.gold_statement_id,
        exact.gold_result_id,
        exact.predicted_result_id,
        exact.n_gold_rows,
        exact.n_predicted_rows,
        exact.n_gold_columns,
        exact.n_predicted_columns,
        exact.is_cut,
        exact.is_unkept,
        exact.are_rows_missing,
        exact.is_limit_tie,
        exact.are_both_empty,
        exact.are_same_result,
        exact.is_set_match as ex_set,
        exact.is_multiset_match as ex_multiset,
        exact.is_match as ex,
        exact.is_match and exact.is_multiset_match as ex_strict,
        {{ loose_verdict('loose.permuted_outcome', 'exact.n_gold_columns = exact.n_predicted_columns') }} as ex_permuted,
        {{ loose_verdict('loose.projection_outcome', 'exact.n_gold_columns <= exact.n_predicted_columns') }} as ex_projection,
        {{ loose_verdict('loose.tolerant_outcome', 'exact.n_gold_columns = exact.n_predicted_columns') }} as ex_tolerant,
        loose.column_mapping,
        coalesce('undecided' in (loose.permuted_outcome, loose.projection_outcome, loose.tolerant_outcome), false)
            as is_undecided,
        case
            when exact.are_same_result then exact.n_gold_rows
            when exact.are_rows_missing and not coalesce(exact.is_multiset_match, false) then null
            when exact.is_multiset_match then exact.n_gold_rows
            else coalesce(row_overlaps.n_common_rows, 0)
        end as n_common_rows,
        row_overlaps.n_common_distinct_rows,
    from exact
    left join loose on exact.pair_id = loose.pair_id
    left join row_overlaps on exact.pair_id = row_overlaps.pair_id

)

select * from verdicts
