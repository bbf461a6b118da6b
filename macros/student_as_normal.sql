{#- Normal variable with nearly the tail of Student's t with df degrees of freedom (Wallace 1959): the tails differ by
    less than 0.0002 from 10 degrees of freedom on, and by less than 0.00001 from 100 on. -#}
{% macro student_as_normal(t, df) -%}
    sign({{ t }}) * (8 * {{ df }} + 1) / (8 * {{ df }} + 3) * sqrt({{ df }} * ln(1 + {{ t }} * {{ t }} / {{ df }}))
{%- endmacro %}
