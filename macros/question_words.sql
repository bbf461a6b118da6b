{#- The words of a question that a lexical comparison looks at: words and numbers in lower case; every Chinese character
    is a word of its own. -#}
{% macro question_words(text) -%}
    regexp_extract_all(lower({{ text }}), '[a-z0-9]+|[\x{3400}-\x{9fff}]')
{%- endmacro %}
