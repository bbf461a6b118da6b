{#- Whether a list of cells holds a cell; NULL is a value like any other here, as in the script. -#}
{% macro holds_cell(cells, cell) -%}
    list_contains(list_transform({{ cells }}, lambda held: coalesce(held, chr(30))), coalesce({{ cell }}, chr(30)))
{%- endmacro %}
