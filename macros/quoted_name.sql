{#- A table's or column's name as a dialect wants it: bare where that is enough, else in quotes. -#}
{% macro quoted_name(name, dialect) -%}
    case
            when regexp_full_match({{ name }}, {{ dialect }}.bare_name) and not list_contains({{ dialect }}.reserved_words, lower({{ name }}))
                then {{ name }}
            else {{ dialect }}.open_quote
                || replace({{ name }}, {{ dialect }}.close_quote, {{ dialect }}.close_quote || {{ dialect }}.close_quote)
                || {{ dialect }}.close_quote
        end
{%- endmacro %}
