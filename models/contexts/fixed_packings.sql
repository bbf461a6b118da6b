with

enriched as (

    select * from {{ ref('greedy_packings') }}
    where packing_order = 'ranked' and representation = 'enriched'

),

texts as (

    select * from {{ ref('table_texts') }}
    where naming = 'prefixed'

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

costs as (

    select
        pool.benchmark,
        pool.table_number,
        texts.representation,
        texts.n_tokens,
    from texts
    inner join pool
        on texts.benchmark = pool.benchmark
        and texts.db_id = pool.db_id
        and texts.table_key = pool.table_key

),

representations as (

    select distinct
        benchmark,
        representation,
    from costs

),

members as (

    select
        benchmark,
        question_id,
        ranker,
        budget,
        unnest(table_numbers) as table_number,
    from enriched

),

counted as (

    select
        members.benchmark,
        members.question_id,
        members.ranker,
        members.budget,
        costs.representation,
        sum(costs.n_tokens)::integer as n_tokens,
    from members
    inner join costs
        on members.benchmark = costs.benchmark
        and members.table_number = costs.table_number
    group by members.benchmark, members.question_id, members.ranker, members.budget, costs.representation

),

packings as (

    select
        enriched.benchmark,
        enriched.question_id,
        enriched.ranker,
        representations.representation,
        enriched.budget,
        enriched.cap_tokens,
        enriched.table_numbers,
        coalesce(counted.n_tokens, 0) as n_tokens,
    from enriched
    inner join representations on enriched.benchmark = representations.benchmark
    left join counted
        on enriched.benchmark = counted.benchmark
        and enriched.question_id = counted.question_id
        and enriched.ranker = counted.ranker
        and enriched.budget = counted.budget
        and representations.representation = counted.representation

)

select * from packings
