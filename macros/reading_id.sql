{#- The key of a reading: a SQL text, and the outline of the database that its names are looked up in. -#}
{% macro reading_id(sql_id, outline_id) -%}
    md5(concat_ws(chr(31), {{ sql_id }}, {{ outline_id }}))
{%- endmacro %}
