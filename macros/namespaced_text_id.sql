{#- The key of a text in a namespace. `db_id` counts where its names are those of one database, else it is NULL. -#}
{% macro namespaced_text_id(benchmark, naming, db_id, engine, sql_id) -%}
    md5(concat(
            {{ benchmark }}, chr(31), {{ naming }}, chr(31), {{ db_id }}, chr(31), {{ engine }}, chr(31), {{ sql_id }}
        ))
{%- endmacro %}
