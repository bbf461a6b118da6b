{#- The 0.975 quantile of Student's t with df degrees of freedom: exact for 1 and 2, else the expansion in 1 / df
    (Abramowitz and Stegun 1964, 26.7.5), which is off by less than 0.004 from 3 degrees on, and by 0.00001 from 10 on. -#}
{% macro student_quantile(df) -%}
    {%- set z = 1.959963984540054 -%}
    case {{ df }}
        when 1 then 12.706204736432095
        when 2 then 4.302652729696142
        else {{ z }}
            + {{ (z ** 3 + z) / 4 }} / {{ df }}
            + {{ (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96 }} / pow({{ df }}, 2)
            + {{ (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384 }} / pow({{ df }}, 3)
            + {{ (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160 }} / pow({{ df }}, 4)
    end
{%- endmacro %}
