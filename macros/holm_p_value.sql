{#- Holm's corrected p value (1979): the smallest of m p values times m, the next times m - 1, never less than the one
    before; NULL stays NULL and does not count. -#}
{% macro holm_p_value(p_value, p_value_number, n_p_values, family) -%}
    case when {{ p_value }} is not null then
        least(1, max(({{ n_p_values }} - {{ p_value_number }} + 1) * {{ p_value }}) over (
            partition by {{ family }}
            order by {{ p_value_number }} asc
        ))
    end
{%- endmacro %}
