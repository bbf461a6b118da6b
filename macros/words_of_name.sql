{#- A name as its words in lower case: `FundingType` and `funding_type` are `funding type`. -#}
{% macro words_of_name(name) -%}
    array_to_string({{ name_terms(name) }}, ' ')
{%- endmacro %}
