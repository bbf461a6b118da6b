{#- Of tasks compared with scripts, the scripts. Numbers stand for them in the order that ties are broken in, that of the
    history's file. -#}
{% macro numbered_scripts(similarities) -%}
    select
        history,
        history_query_id,
        row_number() over (order by history, query_position, history_query_id) as script_number,
    from (
        select distinct
            history,
            history_query_id,
            query_position,
        from {{ similarities }}
    )
{%- endmacro %}
