{#- The JSON object in a model's answer, as text: what stands in a fence, else from the first brace to the last. NULL
    where there is none that can be read. What a model thought aloud before is left out. -#}
{% macro answered_json(answer) -%}
    list_filter(
            list_transform(
                ['(?s)```(?:json)?\s*(\{.*\})\s*```', '(?s)(\{.*\})'],
                lambda pattern: regexp_extract(
                    regexp_replace({{ answer }}, '(?s)<think>.*</think>', ''), pattern, 1
                )
            ),
            lambda found: found <> '' and json_valid(found)
        )[1]
{%- endmacro %}
