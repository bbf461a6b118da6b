{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key=['benchmark', 'unit'],
    post_hook="delete from {{ this }} where benchmark not in (select benchmark from {{ ref('question_slices') }})",
) }}
{% set n_replicates = 10000 -%}

with

questions as (

    select * from {{ ref('question_slices') }}
    where slice_by = 'all'

),

units as (

    select
        benchmark,
        'question' as unit,
        count(*) as n_units,
    from questions
    group by benchmark

    union all

    select
        benchmark,
        'database' as unit,
        count(distinct database_number) as n_units,
    from questions
    group by benchmark

),

undrawn as (

    select * from units
    {% if is_incremental() %}
    -- The draws depend on nothing but names and number: what was drawn stays.
    where not exists (
        select 1 from {{ this }} as drawn
        where
            drawn.benchmark = units.benchmark
            and drawn.unit = units.unit
            and drawn.n_units = units.n_units
    )
    {% endif %}

),

replicates as (

    select
        undrawn.*,
        range(undrawn.n_units)::uinteger[] as unit_numbers,
        numbers.replicate,
    from undrawn
    cross join range(1, {{ n_replicates }} + 1) as numbers (replicate)

),

blocks as (

    select
        *,
        unnest(range((n_units + 3) // 4)) as block,
    from replicates

),

hashed as (

    select
        *,
        md5_number(concat_ws(' ', benchmark, unit, replicate, block)) as digest,
    from blocks

),

drawn as (

    -- A digest has 128 bits: four draws of 32 bits each. The last block of a replicate gives what is still missing.
    select
        * exclude (digest),
        unnest(
            [
                digest & 4294967295::uhugeint,
                (digest >> 32::uhugeint) & 4294967295::uhugeint,
                (digest >> 64::uhugeint) & 4294967295::uhugeint,
                digest >> 96::uhugeint,
            ][:n_units - 4 * block]
        )::ubigint as draw,
    from hashed

)

select
    benchmark,
    unit,
    replicate,
    n_units,
    map_values(histogram_exact(((draw * n_units::ubigint) >> 32)::uinteger, unit_numbers))::utinyint[] as weights,
from drawn
group by benchmark, unit, replicate, n_units
