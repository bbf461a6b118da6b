{#- The words of a skeleton, names and signs included. -#}
{% macro skeleton_tokens(skeleton) -%}
    regexp_extract_all({{ skeleton }}, '<val>|[\p{L}\p{N}_$#.]+|"[^"]*"|[^\s\p{L}\p{N}(),]')
{%- endmacro %}
