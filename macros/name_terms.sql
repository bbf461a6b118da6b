{#- The terms of names or of prose: what BM25 counts (docs/retrieval.md). -#}
{% macro name_terms(text) -%}
    regexp_extract_all(
        lower(
            regexp_replace(
                regexp_replace(
                    regexp_replace({{ text }}, '([\x{3400}-\x{9fff}])', ' \1 ', 'g'),
                    '(\p{Lu})(\p{Lu}\p{Ll})', '\1 \2', 'g'
                ),
                '(\p{Ll})(\p{Lu})', '\1 \2', 'g'
            )
        ),
        '[\p{L}\p{M}]+|\p{N}+'
    )
{%- endmacro %}
