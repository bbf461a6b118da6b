{#- Precision, recall and F1 of knowledge items counted over tasks in one (BIRD-History, section 5.1). -#}
{% macro item_rates(relation) -%}
    round({{ relation }}.n_covered / nullif({{ relation }}.n_retrieved, 0), 12) as precision,
    round({{ relation }}.n_covered / nullif({{ relation }}.n_required, 0), 12) as recall,
    round(2 * {{ relation }}.n_covered / nullif({{ relation }}.n_retrieved + {{ relation }}.n_required, 0), 12) as f1
{%- endmacro %}
