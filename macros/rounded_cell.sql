{#- A canonical cell with a number cut to six significant digits after scaling; other cells as they are. -#}
{% macro rounded_cell(cell, scale) -%}
    case
            when starts_with({{ cell }}, 'n:') and try_cast(substr({{ cell }}, 3) as double) is not null
                then 'n:' || format('{:.5e}', cast(substr({{ cell }}, 3) as double) * {{ scale }})
            else {{ cell }}
        end
{%- endmacro %}
