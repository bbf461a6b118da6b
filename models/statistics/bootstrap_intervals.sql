{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='ratio_id',
    pre_hook=[
        'alter table if exists {{ this }} add column if not exists ci90_low double',
        'alter table if exists {{ this }} add column if not exists ci90_high double',
    ],
    post_hook="delete from {{ this }} where ratio_id not in (select ratio_id from {{ ref('bootstrap_ratios') }})",
) }}
{#- A weighted sum costs as much as its list is long, so several ratios share one list of numbers. A double holds 53
    bits, which is four lanes of 13: the denominator, and three whole numerators over that denominator. Each is raised
    by the denominator, so that none is negative, and no lane overflows up to 4,095 questions. Every other numerator
    travels alone, with its denominator in the digits above 20 bits. Both are exact where the numerators are whole. A
    difference of two ratios is two such lists.
    A join copies its lists for every pair of rows: replicates are joined a block at a time. -#}
{% set lane_bits = 13 -%}
{% set n_lanes = 3 -%}
{% set most_units = 4095 -%}
{% set shift = 1048576.0 -%}
{% set block_replicates = 16 -%}

with

ratios as (

    select * from {{ ref('bootstrap_ratios') }}

),

slices as (

    select distinct
        benchmark,
        'question' as unit,
        question_slice_id as slice_id,
        question_numbers as numbers,
    from {{ ref('slice_positions') }}

    union all

    select distinct
        benchmark,
        'database' as unit,
        database_slice_id as slice_id,
        database_numbers as numbers,
    from {{ ref('slice_positions') }}

),

weights as materialized (

    -- Held in memory first: a table this short would be read by one thread alone.
    select * from {{ ref('bootstrap_weights') }}

),

sizes as (

    select
        benchmark,
        any_value(n_units) as n_questions,
    from weights
    where unit = 'question'
    group by benchmark

),

new_ratios as (

    select
        row_number() over (order by ratios.slice_id, ratios.ratio_id) as ratio_number,
        dense_rank() over (order by ratios.slice_id) as slice_number,
        ratios.ratio_id,
        ratios.slice_id,
        ratios.numerators,
        ratios.denominators,
        ratios.minus_numerators,
        ratios.minus_denominators,
        ratios.minus_numerators is not null as is_difference,
        ratios.unit = 'question'
            and sizes.n_questions <= {{ most_units }}
            and list_bool_and(list_transform(ratios.numerators, lambda numerator: numerator in (-1, 0, 1)))
            and list_bool_and(list_transform(ratios.denominators, lambda denominator: denominator in (0, 1)))
            as is_packed,
    from ratios
    inner join sizes on ratios.benchmark = sizes.benchmark
    {% if is_incremental() %}
    -- Older versions kept no 90% interval.
    where not exists (
        select 1 from {{ this }} as known
        where known.ratio_id = ratios.ratio_id and (known.ci90_low is not null or known.n_replicates = 0)
    )
    {% endif %}

),

placed as (

    select
        *,
        row_number() over (
            partition by slice_number, is_packed, denominators
            order by ratio_number
        ) - 1 as place,
    from new_ratios
    where not is_difference

),

laned as (

    select
        *,
        if(is_packed, place // {{ n_lanes }}, place) as pack,
        if(is_packed, place % {{ n_lanes }} + 1, 1) as lane,
    from placed

),

packs as (

    select
        slice_number,
        is_packed,
        row_number() over (order by slice_number, min(ratio_number)) as pack_number,
        denominators,
        list(numerators order by lane) as numerators_by_lane,
        list(ratio_number order by lane) as ratio_numbers,
    from laned
    group by slice_number, is_packed, denominators, pack

),

packed as (

    select
        slice_number,
        pack_number,
        list_transform(
            denominators,
            lambda denominator, i: if(
                is_packed,
                denominator + list_sum(list_transform(
                    numerators_by_lane,
                    lambda numerators, lane: (numerators[i] + denominator) * power(2, {{ lane_bits }} * lane)
                )),
                numerators_by_lane[1][i] + {{ shift }} * denominator
            )
        ) as numbers,
    from packs

),

members as (

    select
        pack_number,
        is_packed,
        unnest(ratio_numbers) as ratio_number,
        generate_subscripts(ratio_numbers, 1) as lane,
    from packs

),

differences as (

    select
        ratio_number,
        slice_number,
        list_transform(numerators, lambda numerator, i: numerator + {{ shift }} * denominators[i]) as numbers,
        list_transform(minus_numerators, lambda numerator, i: numerator + {{ shift }} * minus_denominators[i])
            as minus_numbers,
    from new_ratios
    where is_difference

),

new_slices as (

    select distinct
        new_ratios.slice_number,
        slices.benchmark,
        slices.unit,
        slices.numbers,
    from new_ratios
    inner join slices on new_ratios.slice_id = slices.slice_id

),

blocks as (

    select
        benchmark,
        unit,
        replicate // {{ block_replicates }} as block,
        list(weights order by replicate) as weights_by_replicate,
    from weights
    group by all

),

slice_blocks as (

    select
        new_slices.slice_number,
        list_transform(
            blocks.weights_by_replicate,
            lambda weights: list_select(weights, new_slices.numbers)::double[]
        ) as weights_by_replicate,
    from blocks
    inner join new_slices
        on blocks.benchmark = new_slices.benchmark
        and blocks.unit = new_slices.unit

),

sums as (

    select
        packed.pack_number,
        unnest(list_transform(
            slice_blocks.weights_by_replicate,
            lambda weights: list_dot_product(weights, packed.numbers)
        )) as total,
    from slice_blocks
    inner join packed on slice_blocks.slice_number = packed.slice_number

),

difference_sums as (

    select
        differences.ratio_number,
        unnest(list_transform(
            slice_blocks.weights_by_replicate,
            lambda weights: [
                list_dot_product(weights, differences.numbers),
                list_dot_product(weights, differences.minus_numbers),
            ]
        )) as totals,
    from slice_blocks
    inner join differences on slice_blocks.slice_number = differences.slice_number

),

unpacked_differences as (

    select
        ratio_number,
        totals[1] as total,
        totals[2] as minus_total,
        round(totals[1] / {{ shift }}) as denominator,
        round(totals[2] / {{ shift }}) as minus_denominator,
    from difference_sums

),

unpacked as (

    select
        members.ratio_number,
        members.is_packed,
        sums.total,
        round(sums.total / {{ shift }}) as denominator,
        sums.total::bigint & {{ 2 ** lane_bits - 1 }} as packed_denominator,
        (sums.total::bigint >> ({{ lane_bits }} * members.lane)) & {{ 2 ** lane_bits - 1 }} as packed_numerator,
    from sums
    inner join members on sums.pack_number = members.pack_number

),

replicates as (

    select
        ratio_number,
        if(
            is_packed,
            (packed_numerator - packed_denominator) / nullif(packed_denominator, 0)::double,
            (total - {{ shift }} * denominator) / nullif(denominator, 0)
        ) as value,
    from unpacked

    union all

    select
        ratio_number,
        (total - {{ shift }} * denominator) / nullif(denominator, 0)
        - (minus_total - {{ shift }} * minus_denominator) / nullif(minus_denominator, 0) as value,
    from unpacked_differences

),

intervals as (

    select
        ratio_number,
        quantile_cont(value, [0.025, 0.05, 0.95, 0.975]) as bounds,
        count(value) as n_replicates,
    from replicates
    group by ratio_number

)

select
    new_ratios.ratio_id,
    round(intervals.bounds[1], 9) as ci_low,
    round(intervals.bounds[4], 9) as ci_high,
    round(intervals.bounds[2], 9) as ci90_low,
    round(intervals.bounds[3], 9) as ci90_high,
    intervals.n_replicates,
from intervals
inner join new_ratios on intervals.ratio_number = new_ratios.ratio_number
