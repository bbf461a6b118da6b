{#- Whether a SQL text uses a construct, by its pattern: in lower case, with texts in quotes and remarks emptied. -#}
{% macro uses_construct(sql, pattern) -%}
    regexp_matches(
        lower(regexp_replace({{ sql }}, '--[^\n]*|/\*(?s:.*?)\*/|''(?:[^'']|'''')*''', '''''', 'g')),
        {{ pattern }}
    )
{%- endmacro %}
