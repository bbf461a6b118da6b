{#- Which description of a table or column is believed first: what the benchmark publishes, then what
    the file itself says, then prose. Smaller is better. -#}
{% macro source_preference(source_column) -%}
    case {{ source_column }}
        when 'bird_tables' then 1
        when 'spider_tables' then 1
        when 'beaver_tables' then 1
        when 'bank' then 1
        when 'mschema' then 2
        when 'introspection' then 3
        when 'description_csv' then 4
        when 'column_meaning' then 5
        else 6
    end
{%- endmacro %}
