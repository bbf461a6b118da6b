{#- A past query as DAIL-SQL shows it: the question as a comment, the query below; parts of one as a comment alone. -#}
{% macro shot_dail_sql(question, sql, parts) -%}
    case
            when {{ sql }} is not null then concat('/* ', {{ question }}, ' */', chr(10), {{ sql }})
            else concat('/* Of a query for: ', {{ question }}, chr(10), {{ parts }}, ' */')
        end
{%- endmacro %}
