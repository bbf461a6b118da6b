{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='sums_id',
    post_hook="delete from {{ this }} where sums_id not in (
        select question_sums_id from {{ ref('history_sums') }}
        union all
        select database_sums_id from {{ ref('history_sums') }}
    )",
) }}
{#- The draws of `bootstrap_intervals`. Precision, recall and F1 of a set share three sums: what is covered below 24 bits
    and what is retrieved above travel as one list; what is needed is the same for all sets of a type. All are whole
    numbers. A join on equal keys would copy both lists for every pair of rows; one on a distance passes them on. -#}
{% set shift = 16777216.0 -%}
{% set pack_size = 50 -%}
{% set least_clusters = 10 -%}

with

sums as (

    select * from {{ ref('history_sums') }}

),

weights as materialized (

    -- Held in memory first: a table this short would be read by one thread alone.
    select * from {{ ref('bootstrap_weights') }}
    where benchmark in (select task_set from sums)

),

wanted as (

    select
        question_sums_id as sums_id,
        'question' as unit,
        task_set,
        required,
        retrieved,
        covered,
    from sums

    union all

    select
        database_sums_id as sums_id,
        'database' as unit,
        task_set,
        required_by_database as required,
        retrieved_by_database as retrieved,
        covered_by_database as covered,
    from sums
    where n_databases >= {{ least_clusters }}

),

distinct_sums as (

    -- Settings that select the same are resampled once.
    select
        sums_id,
        any_value(unit) as unit,
        any_value(task_set) as task_set,
        any_value(required) as required,
        any_value(retrieved) as retrieved,
        any_value(covered) as covered,
    from wanted
    group by sums_id

),

new_sums as (

    select
        *,
        list_transform(retrieved, lambda number, i: {{ shift }} * number + covered[i]) as numbers,
    from distinct_sums
    {% if is_incremental() %}
    where sums_id not in (select known.sums_id from {{ this }} as known)
    {% endif %}

),

numbered as (

    select
        *,
        row_number() over (order by task_set, unit, required, sums_id) as sums_number,
        dense_rank() over (order by task_set, unit) as unit_number,
    from new_sums

),

packs as (

    select
        unit_number,
        any_value(task_set) as task_set,
        any_value(unit) as unit,
        required,
        list(sums_number order by sums_number) as sums_numbers,
        list(numbers order by sums_number) as numbers_by_sums,
    from numbered
    group by unit_number, required, sums_number // {{ pack_size }}

),

units as (

    select distinct
        unit_number,
        task_set,
        unit,
    from packs

),

draws as (

    select
        units.unit_number,
        weights.weights::double[] as weights,
    from weights
    inner join units
        on weights.benchmark = units.task_set
        and weights.unit = units.unit

),

totals as (

    select
        unnest(packs.sums_numbers) as sums_number,
        list_dot_product(draws.weights, packs.required) as required,
        unnest(list_transform(
            packs.numbers_by_sums, lambda numbers: list_dot_product(draws.weights, numbers)
        )) as total,
    from draws
    inner join packs on abs(draws.unit_number - packs.unit_number) < 1

),

unpacked as (

    select
        sums_number,
        required,
        floor(total / {{ shift }}) as retrieved,
        total - {{ shift }} * floor(total / {{ shift }}) as covered,
    from totals

),

intervals as (

    select
        sums_number,
        {% for metric, value in [
            ('precision', 'covered / nullif(retrieved, 0)'),
            ('recall', 'covered / nullif(required, 0)'),
            ('f1', '2 * covered / nullif(retrieved + required, 0)'),
        ] -%}
        quantile_cont({{ value }}, [0.025, 0.975]) as {{ metric }}_bounds,
        {% endfor %}
    from unpacked
    group by sums_number

)

select
    numbered.sums_id,
    {% for metric in ['precision', 'recall', 'f1'] -%}
    round(intervals.{{ metric }}_bounds[1], 9) as {{ metric }}_low,
    round(intervals.{{ metric }}_bounds[2], 9) as {{ metric }}_high,
    {% endfor %}
from intervals
inner join numbered on intervals.sums_number = numbered.sums_number
