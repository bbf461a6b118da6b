{#- A comment as it is searched for names of tables: all its words; its words with those that a dot joins kept together,
    quotes gone; and whether it speaks of a key, reference, link or join. -#}
{% macro comment_words(comment) -%}
    struct_pack(
        words := {{ spaced_words(comment) }},
        dotted_words := ' ' || regexp_replace(
            regexp_replace(regexp_replace(lower({{ comment }}), '["`\[\]]', '', 'g'), '[^\p{L}\p{N}_.]+', ' ', 'g'),
            '\.( |$)', ' ', 'g'
        ) || ' ',
        is_key_comment := regexp_matches({{ spaced_words(comment) }}, ' foreign key | (refer|link|join)')
    )
{%- endmacro %}
