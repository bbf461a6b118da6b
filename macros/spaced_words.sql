{#- A text as its words in lower case with one blank around each, so that `contains` finds whole words alone. -#}
{% macro spaced_words(text) -%}
    (' ' || trim(regexp_replace(lower({{ text }}), '[^\p{L}\p{N}_]+', ' ', 'g')) || ' ')
{%- endmacro %}
