{#- Chance that at least one of k answers drawn without replacement from n, c of them right, is right:
    1 − C(n−c, k) / C(n, k) (Chen et al. 2021), as a product of ratios, which no factorial can overflow. -#}
{% macro pass_at_k(n, c, k) -%}
    (1 - list_product(list_transform(range({{ k }}), lambda i: greatest({{ n }} - {{ c }} - i, 0) / ({{ n }} - i))))
{%- endmacro %}
