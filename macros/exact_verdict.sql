{#- The verdict `ex` of a measured pair: NULL where it takes rows that are not stored. -#}
{% macro exact_verdict(pairs, order_matches) -%}
    case
            when {{ pairs }}.are_same_result or {{ pairs }}.are_both_empty then true
            when {{ pairs }}.n_gold_rows <> {{ pairs }}.n_predicted_rows then false
            when {{ pairs }}.order_rule = 'none' then {{ pairs }}.is_multiset_match
            when {{ pairs }}.order_rule = 'strict' then false
            when {{ pairs }}.n_gold_columns <> {{ pairs }}.n_predicted_columns then false
            -- Places are compared row by row, which takes every row.
            when {{ pairs }}.are_rows_missing
                then case
                    when {{ pairs }}.is_multiset_match and ({{ pairs }}.n_gold_rows = 1 or not {{ pairs }}.is_order_asked)
                        then true
                    when not {{ pairs }}.is_multiset_match and not coalesce({{ pairs }}.is_tie_open, false) then false
                end
            else coalesce({{ order_matches }}.is_order_match, false)
        end
{%- endmacro %}
