{#- A past query as N-rep shows it: question and answer. -#}
{% macro shot_n_rep(question, sql, parts) -%}
    concat('Q: ', {{ question }}, chr(10), 'A: ', coalesce({{ sql }}, 'among others' || chr(10) || {{ parts }}))
{%- endmacro %}
