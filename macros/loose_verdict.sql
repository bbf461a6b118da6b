{#- A forgiving verdict of a pair: what matches exactly matches; what cannot match does not; the rest is
    what the search said, and NULL where it gave up or where rows are missing. -#}
{% macro loose_verdict(search_outcome, shape_condition) -%}
    case
            when exact.is_match then true
            when exact.n_gold_rows <> exact.n_predicted_rows or not ({{ shape_condition }}) then false
            when exact.are_rows_missing then null
            when {{ search_outcome }} = 'undecided' then null
            else coalesce({{ search_outcome }} = 'match', false)
        end
{%- endmacro %}
