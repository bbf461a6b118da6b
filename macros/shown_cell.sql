{#- A cell of a result for a reader: its value without the tag of its type, NULL by name, at most 60 characters. -#}
{% macro shown_cell(cell) -%}
    coalesce({{ one_line("substr(" ~ cell ~ ", 3, 60)") }}, if({{ cell }} is null, 'NULL', ''))
{%- endmacro %}
