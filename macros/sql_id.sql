{#- The key of a SQL text in a dialect: what `statement_syntax` is keyed by. -#}
{% macro sql_id(dialect, sql) -%}
    md5(concat_ws(chr(31), {{ dialect }}, {{ sql }}))
{%- endmacro %}
