{#- A cosine to 6 places; a vector of zeros is like no other. -#}
{% macro rounded_cosine(cosine) -%}
    round(if(isnan({{ cosine }}), 0, {{ cosine }}), 6)
{%- endmacro %}
