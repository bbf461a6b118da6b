{#- Of rows to be read in outlines of databases, those that are not read yet, with the outline itself: that of no table
    where nobody knows the database. -#}
{% macro unread_in_outlines(rows, key, outlines) -%}
    select
        {{ rows }}.*,
        coalesce(known.outline, '[]') as outline,
    from {{ rows }}
    left join (select distinct outline_id, outline from {{ outlines }}) as known on {{ rows }}.outline_id = known.outline_id
    {{ where_unread(rows, key) }}
{%- endmacro %}
