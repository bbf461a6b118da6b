{#- Lost with a connection or a worker: an outcome that says nothing of the statement. -#}
{% macro is_lost(attempts) -%}
    ({{ attempts }}.outcome in ('crashed', 'no_database') or coalesce({{ attempts }}.error_class = 'connection', false))
{%- endmacro %}
