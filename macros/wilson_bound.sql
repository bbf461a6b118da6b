{#- Bound of Wilson's 95% interval of a rate (Wilson 1927), by its sign: -1 the lower, 1 the upper. -#}
{% macro wilson_bound(value, n, sign) -%}
    {%- set z = 1.959963984540054 -%}
    round(
        ({{ value }} + {{ z * z }} / (2 * {{ n }})
            + {{ sign }} * {{ z }} * sqrt(({{ value }} * (1 - {{ value }}) + {{ z * z }} / (4 * {{ n }})) / {{ n }}))
        / (1 + {{ z * z }} / {{ n }}),
        12
    )
{%- endmacro %}
