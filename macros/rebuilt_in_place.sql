{#- How a table or a view is built: dropped and made anew in one transaction, so that a failure leaves the old one.
    dbt's own way makes another beside it and renames twice, which takes longer than the query of a small model. -#}
{% materialization table, adapter='duckdb' %}
    {{ return(rebuilt_in_place('table')) }}
{% endmaterialization %}

{% materialization view, adapter='duckdb' %}
    {{ return(rebuilt_in_place('view')) }}
{% endmaterialization %}

{% macro rebuilt_in_place(kind) -%}
    {%- set target = this.incorporate(type=kind) -%}
    {%- set existing = load_cached_relation(this) -%}
    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks, inside_transaction=True) }}
    {%- call statement('main') -%}
        {%- if existing is not none %}
        drop {{ existing.type }} if exists {{ existing }};
        {%- endif %}
        {{ create_table_as(False, target, sql) if kind == 'table' else create_view_as(target, sql) }}
    {%- endcall -%}
    {{ run_hooks(post_hooks, inside_transaction=True) }}
    {%- do adapter.commit() -%}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({'relations': [target]}) }}
{%- endmacro %}
