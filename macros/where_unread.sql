{#- Of rows by a key, those that are not read yet. What was read by another version of the reader is read again:
    versions never mix. -#}
{% macro where_unread(rows, key) -%}
    {% if is_incremental() -%}
    where not exists (
        select 1 from {{ this }} as read_before
        where
            read_before.{{ key }} = {{ rows }}.{{ key }}
            and read_before.analysis_version = sql_analysis_version()
    )
    {%- endif %}
{%- endmacro %}
