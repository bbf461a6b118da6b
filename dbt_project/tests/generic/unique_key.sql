{#- One test for a whole key: every column of it is there, but for `optional` ones, and no two rows share it. -#}
{% test unique_key(model, columns, optional=[]) %}

select
    {{ (columns + optional) | join(', ') }},
    count(*) as n_rows,
from {{ model }}
group by {{ (columns + optional) | join(', ') }}
having count(*) > 1 or {% for column in columns %}{{ column }} is null{% if not loop.last %} or {% endif %}{% endfor %}

{% endtest %}
