with

comparisons as (

    select * from {{ ref('comparisons') }}

),

results as (

    select * from {{ ref('results') }}

),

answered as (

    select
        order_id,
        gold_result_id,
        predicted_result_id,
        any_value(order_rule) as order_rule,
        min(gold_statement_id) as gold_statement_id,
        min(wave_id) as wave_id,
        bool_or(is_limit_tie) as is_limit_tie,
        bool_or(coalesce(is_order_unkept, false)) as is_order_unkept,
        bool_or(coalesce(is_limited, false)) as is_limited,
    from comparisons
    where gold_outcome = 'answered' and predicted_outcome = 'answered'
    group by order_id, gold_result_id, predicted_result_id

),

measured as (

    select
        md5(concat_ws(chr(31), answered.order_id, answered.gold_result_id, answered.predicted_result_id)) as pair_id,
        answered.* exclude (is_order_unkept, is_limited),
        gold.n_rows as n_gold_rows,
        predicted.n_rows as n_predicted_rows,
        gold.n_columns as n_gold_columns,
        predicted.n_columns as n_predicted_columns,
        gold.is_cut or predicted.is_cut as is_cut,
        not gold.is_kept or not predicted.is_kept or (answered.order_rule = 'tie_groups' and answered.is_order_unkept)
            as is_unkept,
        gold.is_cut or predicted.is_cut or is_unkept as are_rows_missing,
        is_unkept and (answered.is_limit_tie or (answered.is_order_unkept and answered.is_limited)) as is_tie_open,
        gold.n_rows = 0 and predicted.n_rows = 0 as are_both_empty,
        answered.gold_result_id = answered.predicted_result_id as are_same_result,
        gold.set_signature = predicted.set_signature as is_set_match,
        gold.multiset_signature = predicted.multiset_signature as is_multiset_match,
    from answered
    inner join results as gold on answered.gold_result_id = gold.result_id
    inner join results as predicted on answered.predicted_result_id = predicted.result_id

)

select * from measured
