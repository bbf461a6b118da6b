{{ config(materialized='view') }}

with

conditions as (

    select * from {{ ref('conditions') }}

),

greedy as (

    select * from {{ ref('greedy_packings') }}

),

fixed as (

    select * from {{ ref('fixed_packings') }}

),

packings as (

    select
        greedy.benchmark,
        greedy.question_id,
        greedy.ranker,
        greedy.representation,
        greedy.budget,
        conditions.condition,
        conditions.packing_order,
        len(greedy.table_numbers)::integer as n_tables,
        greedy.n_tokens,
        greedy.cap_tokens,
        greedy.is_infeasible,
        greedy.table_numbers,
    from greedy
    inner join conditions on greedy.packing_order = conditions.packing_order

    union all

    select
        fixed.benchmark,
        fixed.question_id,
        fixed.ranker,
        fixed.representation,
        fixed.budget,
        conditions.condition,
        conditions.packing_order,
        len(fixed.table_numbers)::integer as n_tables,
        fixed.n_tokens,
        fixed.cap_tokens,
        false as is_infeasible,
        fixed.table_numbers,
    from fixed
    inner join conditions on conditions.packing_order = 'as_enriched'

)

select * from packings
