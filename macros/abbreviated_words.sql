{#- The words of a name that are taken for abbreviations (docs/budgets.md): of one letter; of two or three, or without a
    vowel, and not ordinary; or of four that begin a longer word of the prose and do not stand in it themselves. -#}
{% macro abbreviated_words(words, prose_words, ordinary_words) -%}
    list_filter(
        list_filter({{ words }}, lambda word: regexp_full_match(word, '[a-z]+')),
        lambda word: len(word) = 1
        or (
            (len(word) <= 3 or not regexp_matches(word, '[aeiou]'))
            and not list_contains({{ ordinary_words }}, word)
        )
        or (
            len(word) = 4
            and not list_contains({{ prose_words }}, word)
            and len(list_filter(
                {{ prose_words }},
                lambda longer: starts_with(longer, word) and len(longer) >= 8
            )) > 0
        )
    )
{%- endmacro %}
