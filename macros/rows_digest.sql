{#- One digest of many rows that knows no order: each row's text is digested, and then the sorted digests are. -#}
{% macro rows_digest(row_text) -%}
    md5(string_agg(md5({{ row_text }}), '' order by md5({{ row_text }})))
{%- endmacro %}
