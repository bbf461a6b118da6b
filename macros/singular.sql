{#- An English word in lower case without its plural ending, as far as spelling tells. -#}
{% macro singular(word) -%}
    case
            when regexp_matches({{ word }}, '[^aeiou]ies$') and len({{ word }}) > 4 then left({{ word }}, -3) || 'y'
            when regexp_matches({{ word }}, '(ss|x|ch|sh)es$') then left({{ word }}, -2)
            when regexp_matches({{ word }}, '[^su]s$') and len({{ word }}) > 3 then left({{ word }}, -1)
            else {{ word }}
        end
{%- endmacro %}
