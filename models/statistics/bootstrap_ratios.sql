{% set least_clusters = 10 -%}

with

rates as (

    select * from {{ ref('metric_slices') }}

),

contrasts as (

    select * from {{ ref('contrast_pairs') }}

),

dialects as (

    select * from {{ ref('dialect_pairs') }}

),

wanted as (

    {% for rows in ['rates', 'contrasts', 'dialects'] -%}
    select
        question_ratio_id as ratio_id,
        'question' as unit,
        {{ 'benchmark_a' if rows == 'dialects' else 'benchmark' }} as benchmark,
        question_slice_id as slice_id,
        numerators,
        denominators,
        {{ 'minus_numerators' if rows == 'contrasts' else 'null::double[]' }} as minus_numerators,
        {{ 'minus_denominators' if rows == 'contrasts' else 'null::double[]' }} as minus_denominators,
    from {{ rows }}

    union all

    select
        database_ratio_id as ratio_id,
        'database' as unit,
        {{ 'benchmark_a' if rows == 'dialects' else 'benchmark' }} as benchmark,
        database_slice_id as slice_id,
        numerators_by_database as numerators,
        denominators_by_database as denominators,
        {{ 'minus_numerators_by_database' if rows == 'contrasts' else 'null::double[]' }} as minus_numerators,
        {{ 'minus_denominators_by_database' if rows == 'contrasts' else 'null::double[]' }} as minus_denominators,
    from {{ rows }}
    where n_clusters >= {{ least_clusters }}
    {% if not loop.last %}
    union all

    {% endif %}
    {%- endfor %}

)

-- The same sums under another name are the same ratio: it is resampled once.
select
    ratio_id,
    any_value(benchmark) as benchmark,
    any_value(unit) as unit,
    any_value(slice_id) as slice_id,
    any_value(numerators) as numerators,
    any_value(denominators) as denominators,
    any_value(minus_numerators) as minus_numerators,
    any_value(minus_denominators) as minus_denominators,
from wanted
group by ratio_id
