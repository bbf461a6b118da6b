{#- Exact two-sided p value of McNemar's test: twice the smaller tail of the binomial distribution of n_only_a among all
    discordant pairs with probability 1/2, at most 1. -#}
{% macro mcnemar_p_value(n_only_a, n_only_b) -%}
    least(1, 2 * list_sum(list_transform(
        range(0, least({{ n_only_a }}, {{ n_only_b }}) + 1),
        lambda k: exp(
            lgamma({{ n_only_a }} + {{ n_only_b }} + 1) - lgamma(k + 1) - lgamma({{ n_only_a }} + {{ n_only_b }} - k + 1)
            - ({{ n_only_a }} + {{ n_only_b }}) * ln(2)
        )
    )))
{%- endmacro %}
