{#- What the skeleton of a whole query shows: the list after its first SELECT. -#}
{% macro shown_skeleton(skeleton) -%}
    regexp_extract({{ skeleton }}, '^\(*select (?:distinct )?(.*?)(?: from |$)', 1)
{%- endmacro %}
