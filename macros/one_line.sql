{#- A text on one line, without blanks around it; NULL where nothing is left. -#}
{% macro one_line(text) -%}
    nullif(trim(regexp_replace({{ text }}, '\s+', ' ', 'g')), '')
{%- endmacro %}
