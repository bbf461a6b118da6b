{#- SQL texts, each once for an outline of its database, keyed as it is read. -#}
{% macro texts_in_outlines(texts, outlines) -%}
    select distinct
        {{ reading_id(texts ~ '.sql_id', outline_id_or_none(outlines)) }} as reading_id,
        {{ texts }}.sql_id,
        {{ outline_id_or_none(outlines) }} as outline_id,
        {{ texts }}.dialect,
        {{ texts }}.sql,
    from {{ texts }}
    left join {{ outlines }}
        on {{ texts }}.schema_benchmark = {{ outlines }}.benchmark
        and {{ texts }}.db_id = {{ outlines }}.db_id
{%- endmacro %}
