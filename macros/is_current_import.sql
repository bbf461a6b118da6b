{#- The rows that count: those of an import that finished and that no newer import of its scope replaced. -#}
{% macro is_current_import() -%}
    import_id in (select current_imports.import_id from {{ ref('stg_imports') }} as current_imports where current_imports.is_current)
{%- endmacro %}
