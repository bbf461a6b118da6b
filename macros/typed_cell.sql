{#- A cell as a column of a declared type is read: a date that is a text, a number to so many decimals. -#}
{% macro typed_cell(cell, value_type, n_decimals) -%}
    case
        when {{ value_type }} = 'date' and regexp_full_match({{ cell }}, 't:\d{4}-\d\d-\d\d([ T]00:00:00(\.0+)?)?')
            then 'd:' || substr({{ cell }}, 3, 10)
        when {{ value_type }} in ('integer', 'number') and starts_with({{ cell }}, 'n:')
            then coalesce(
                'n:' || round(
                    try_cast(substr({{ cell }}, 3) as decimal(34, 12)) * [1, 10, 100, 1000][coalesce({{ n_decimals }}, 0) + 1]
                )::decimal(38, 0) || 'e-' || coalesce({{ n_decimals }}, 0),
                {{ cell }}
            )
        else {{ cell }}
    end
{%- endmacro %}
