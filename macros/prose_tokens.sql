{#- A text in order as quoted texts (in double quotes), numbers with all that hangs on them, words with what a hyphen or
    an apostrophe ties to them, and single other characters. Quotes of other shapes are double quotes here. -#}
{% macro prose_tokens(text) -%}
    regexp_extract_all(
        regexp_replace(
            regexp_replace(translate({{ text }}, '“”„‘’', '"""'''''), '(^|[\s(\[:,])''([^''"]+)''($|[^\p{L}\p{N}])', '\1"\2"\3', 'g'),
            '([\x{3400}-\x{9fff}])', ' \1 ', 'g'
        ),
        '"[^"]*"'
        || '|(?:[\p{L}\p{M}_]+-)?[\p{L}\p{M}_]*\p{N}[\p{L}\p{M}\p{N}_]*(?:[-.,:/][\p{L}\p{M}_]*\p{N}[\p{L}\p{M}\p{N}_]*)*%?'
        || '|[\p{L}\p{M}_]+(?:[-''][\p{L}\p{M}_]+)*'
        || '|[^\s\p{L}\p{M}\p{N}_]'
    )
{%- endmacro %}
