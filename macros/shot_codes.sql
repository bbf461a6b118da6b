{#- A past query as CodeS shows it: a question and its query, as the sequence goes on with. -#}
{% macro shot_codes(question, sql, parts) -%}
    concat(
            'question: ', {{ question }}, chr(10),
            coalesce('SQL: ' || {{ sql }}, 'parts of the SQL:' || chr(10) || {{ parts }})
        )
{%- endmacro %}
