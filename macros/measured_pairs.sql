{#- Pairs of results measured against each other: sizes, what is missing, and what signatures say. -#}
{% macro measured_pairs(pairs, results) -%}
    select
        {{ pairs }}.* exclude (is_order_unkept, is_limited),
        gold.n_rows as n_gold_rows,
        predicted.n_rows as n_predicted_rows,
        gold.n_columns as n_gold_columns,
        predicted.n_columns as n_predicted_columns,
        gold.is_cut or predicted.is_cut as is_cut,
        not gold.is_kept or not predicted.is_kept
            or ({{ pairs }}.order_rule = 'tie_groups' and {{ pairs }}.is_order_unkept) as is_unkept,
        gold.is_cut or predicted.is_cut or is_unkept as are_rows_missing,
        are_rows_missing
            and ({{ pairs }}.is_limit_tie or ({{ pairs }}.is_order_unkept and {{ pairs }}.is_limited)) as is_tie_open,
        gold.n_rows = 0 and predicted.n_rows = 0 as are_both_empty,
        {{ pairs }}.gold_result_id = {{ pairs }}.predicted_result_id as are_same_result,
        gold.set_signature = predicted.set_signature as is_set_match,
        gold.multiset_signature = predicted.multiset_signature as is_multiset_match,
    from {{ pairs }}
    inner join {{ results }} as gold on {{ pairs }}.gold_result_id = gold.result_id
    inner join {{ results }} as predicted on {{ pairs }}.predicted_result_id = predicted.result_id
{%- endmacro %}
