{#- The key of a statement: what is run, and on what. Equal work in different places is done once. -#}
{% macro statement_id(engine, snapshot_id, sql) -%}
    md5(concat_ws(chr(31), {{ engine }}, {{ snapshot_id }}, {{ sql }}))
{%- endmacro %}
