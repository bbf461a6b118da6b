{#- The encoding that tokens are counted in, as a SQL text: the var `token_encoding`. A misspelt one stops the build. -#}
{% macro token_encoding() -%}
    {%- set known = ['cl100k_base', 'o200k_base', 'o200k_harmony', 'p50k_base', 'p50k_edit', 'r50k_base'] -%}
    {%- if exceptions is defined and var('token_encoding') not in known -%}
        {{ exceptions.raise_compiler_error("token_encoding is " ~ var('token_encoding') ~ "\nhint: one of " ~ known | join(', ')) }}
    {%- endif -%}
    '{{ var('token_encoding') }}'
{%- endmacro %}
