{#- A past query as OpenSearch-SQL shows it: question, what it is made of, query. -#}
{% macro shot_opensearch_sql(question, sql, parts) -%}
    concat_ws(
            chr(10),
            '#question: ' || {{ question }},
            '#parts:' || chr(10) || {{ parts }},
            '#SQL: ' || {{ sql }}
        )
{%- endmacro %}
