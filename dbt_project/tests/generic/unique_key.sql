{#- One test for a whole key: every column of it is there, and no two rows share it. -#}
{% test unique_key(model, columns) %}

select
    {{ columns | join(', ') }},
    count(*) as n_rows,
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1 or {% for column in columns %}{{ column }} is null{% if not loop.last %} or {% endif %}{% endfor %}

{% endtest %}
