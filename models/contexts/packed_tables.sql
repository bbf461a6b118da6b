{{ config(materialized='view') }}

with

packings as (

    select * from {{ ref('packings') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

members as (

    select
        benchmark,
        question_id,
        ranker,
        representation,
        budget,
        condition,
        unnest(table_numbers) as table_number,
        unnest(range(1, n_tables + 1))::integer as context_position,
    from packings

),

named as (

    select
        members.benchmark,
        members.question_id,
        members.ranker,
        members.representation,
        members.budget,
        members.condition,
        members.context_position,
        pool.db_id,
        pool.table_key,
        pool.table_number,
    from members
    inner join pool
        on members.benchmark = pool.benchmark
        and members.table_number = pool.table_number

)

select * from named
