{#- Hands a table over to glue, as a Parquet file that appears whole. A table and a copy, not dbt-duckdb's
    `external`: that leaves a view over a relative path behind, and a row of NULLs where nothing is pending. -#}
{% macro export_to_glue() -%}
    copy (select * from {{ this }})
    to '{{ env_var("EVALHOUSE_HOME", ".") }}/exports/{{ this.name }}.parquet' (format parquet, use_tmp_file true)
{%- endmacro %}
