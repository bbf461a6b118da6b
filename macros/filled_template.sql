{#- A prompt template with its placeholders filled. One pass: what a value holds is not looked at again, so that a
    question about braces stays as it is. A paragraph with a placeholder that has no value is left out. -#}
{% macro filled_template(template, values) -%}
    array_to_string(
            list_transform(
                list_filter(
                    list_transform(
                        string_split({{ template }}, chr(10) || chr(10)),
                        lambda paragraph: list_transform(
                            regexp_extract_all(paragraph, '\{[a-z_]+\}|[^{]+|\{'),
                            lambda piece: case piece
                                {% for name, value in values.items() -%}
                                when '{{ '{' ~ name ~ '}' }}' then {{ value }}
                                {% endfor -%}
                                else piece
                            end
                        )
                    ),
                    lambda pieces: list_count(pieces) = len(pieces)
                ),
                lambda pieces: array_to_string(pieces, '')
            ),
            chr(10) || chr(10)
        )
{%- endmacro %}
