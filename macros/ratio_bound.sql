{#- Bound of the 95% interval of a ratio of two sums over units, linearised (Cochran 1977, section 6.4), by its sign: -1
    the lower, 1 the upper. NULL below two units. -#}
{% macro ratio_bound(ratio, squared_residuals, denominator, n_units, sign) -%}
    {%- set z = 1.959963984540054 -%}
    case when {{ n_units }} > 1 then
        round(
            least(1, greatest(0,
                {{ ratio }} + {{ sign }} * {{ z }} / {{ denominator }}
                * sqrt(greatest({{ squared_residuals }}, 0) * {{ n_units }} / ({{ n_units }} - 1))
            )),
            9
        )
    end
{%- endmacro %}
