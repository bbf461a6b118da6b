{#- The key of a database's outline, after a left join; that of no table where nobody knows the database. -#}
{% macro outline_id_or_none(outlines) -%}
    coalesce({{ outlines }}.outline_id, md5('[]'))
{%- endmacro %}
