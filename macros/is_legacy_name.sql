{#- Whether a column's name is an abbreviated legacy name (ESQ-Bench §4.3): joined by underscores, without a run of more
    than two vowels, and with a word of two to four letters that has no vowel or ends in two consonants, and is none of
    the ordinary words. -#}
{% macro is_legacy_name(name, ordinary_words) -%}
    (
        contains({{ name }}, '_')
        and not regexp_matches(lower({{ name }}), '[aeiou]{3}')
        and len(list_filter(
            {{ name_terms(name) }},
            lambda word: regexp_full_match(word, '[a-z]{2,4}')
            and (not regexp_matches(word, '[aeiou]') or regexp_matches(word, '[^aeiou]{2}$'))
            and not list_contains({{ ordinary_words }}, word)
        )) > 0
    )
{%- endmacro %}
