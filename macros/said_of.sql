{#- What is known of a table or column beside its name: natural name and description, each where it says something of
    its own; NULL where nothing does. -#}
{% macro said_of(name, natural_name, description) -%}
    nullif(concat_ws(
            '. ',
            case
                when lower(replace({{ name }}, '_', ' ')) <> lower(replace({{ natural_name }}, '_', ' '))
                    and lower({{ natural_name }}) is distinct from lower({{ description }})
                    then rtrim({{ natural_name }}, '.')
            end,
            case
                when lower(replace({{ name }}, '_', ' ')) <> lower(replace({{ description }}, '_', ' '))
                    then rtrim({{ description }}, '.')
            end
        ), '')
{%- endmacro %}
