-- Every packing fits its cap, counted anew from the texts of its tables; an infeasible one is empty.
with

costs as (

    select
        pool.benchmark,
        texts.representation,
        list(texts.n_tokens order by pool.table_number) as tokens,
    from {{ ref('table_texts') }} as texts
    inner join {{ ref('pooled_tables') }} as pool
        on texts.benchmark = pool.benchmark
        and texts.db_id = pool.db_id
        and texts.table_key = pool.table_key
    where texts.naming = 'prefixed'
    group by pool.benchmark, texts.representation

),

savings as (

    -- What a table costs less once keys to the required tables are gone.
    select
        changed.benchmark,
        changed.question_id,
        changed.representation,
        pool.table_number,
        plain.n_tokens - changed.n_tokens as n_saved_tokens,
    from {{ ref('removal_texts') }} as changed
    inner join {{ ref('table_texts') }} as plain
        on changed.benchmark = plain.benchmark
        and changed.db_id = plain.db_id
        and changed.table_key = plain.table_key
        and changed.representation = plain.representation
        and changed.naming = plain.naming
    inner join {{ ref('pooled_tables') }} as pool
        on changed.benchmark = pool.benchmark
        and changed.db_id = pool.db_id
        and changed.table_key = pool.table_key
    where changed.naming = 'prefixed'

),

saved as (

    select
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition,
        sum(savings.n_saved_tokens) as n_saved_tokens,
    from {{ ref('packings') }} as packings
    inner join savings
        on packings.condition = 'remove_gold'
        and packings.benchmark = savings.benchmark
        and packings.question_id = savings.question_id
        and packings.representation = savings.representation
        and list_contains(packings.table_numbers, savings.table_number)
    group by
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition

),

counted as (

    select
        packings.*,
        coalesce(list_sum(list_transform(packings.table_numbers, lambda number: costs.tokens[number])), 0)
        - coalesce(saved.n_saved_tokens, 0) as n_tokens_of_texts,
    from {{ ref('packings') }} as packings
    inner join costs
        on packings.benchmark = costs.benchmark
        and packings.representation = costs.representation
    left join saved
        on packings.benchmark = saved.benchmark
        and packings.question_id = saved.question_id
        and packings.ranker = saved.ranker
        and packings.representation = saved.representation
        and packings.budget = saved.budget
        and packings.condition = saved.condition

)

select * from counted
where
    n_tokens_of_texts is distinct from n_tokens
    or n_tokens_of_texts > cap_tokens
    or n_tables <> len(table_numbers)
    or (is_infeasible and n_tables > 0)
