{#- Chance that a standard normal variable exceeds z, to 1e-7 (Abramowitz and Stegun 1964, 7.1.26). -#}
{% macro normal_upper_tail(z) -%}
    (0.5 + 0.5 * sign({{ z }}) * (
        list_aggregate(
            list_transform(
                [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429],
                lambda coefficient, i: coefficient / pow(1 + 0.3275911 * abs({{ z }}) / sqrt(2), i)
            ),
            'sum'
        ) * exp(-{{ z }} * {{ z }} / 2) - 1
    ))
{%- endmacro %}
