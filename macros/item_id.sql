{#- The key of a knowledge item within a database: its type and its skeleton. -#}
{% macro item_id(knowledge_type, skeleton) -%}
    md5(concat_ws(chr(31), {{ knowledge_type }}, {{ skeleton }}))
{%- endmacro %}
