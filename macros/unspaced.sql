{#- A text for comparison: in lower case, without white space. -#}
{% macro unspaced(text) -%}
    lower(regexp_replace({{ text }}, '\s+', '', 'g'))
{%- endmacro %}
