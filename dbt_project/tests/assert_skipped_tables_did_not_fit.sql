-- A table that a packing skips would not have fitted at its turn, the packed ones stand in the order they were tried
-- in, and the guaranteed ones are all there.
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

changed as (

    select
        texts.benchmark,
        texts.question_id,
        texts.representation,
        map(list(pool.table_number), list(texts.n_tokens)) as tokens,
    from {{ ref('removal_texts') }} as texts
    inner join {{ ref('pooled_tables') }} as pool
        on texts.benchmark = pool.benchmark
        and texts.db_id = pool.db_id
        and texts.table_key = pool.table_key
    where texts.naming = 'prefixed'
    group by texts.benchmark, texts.question_id, texts.representation

),

tried as (

    select
        orders.benchmark,
        orders.question_id,
        orders.ranker,
        orders.packing_order,
        orders.n_required,
        costs.representation,
        orders.table_numbers as tried_numbers,
        list_transform(
            orders.table_numbers,
            lambda number: if(
                orders.packing_order = 'required_removed',
                coalesce(changed.tokens[number], costs.tokens[number]),
                costs.tokens[number]
            )
        ) as tokens,
    from {{ ref('packing_orders') }} as orders
    inner join costs on orders.benchmark = costs.benchmark
    left join changed
        on orders.benchmark = changed.benchmark
        and orders.question_id = changed.question_id
        and costs.representation = changed.representation

),

opened as (

    select
        tried.*,
        packings.budget,
        packings.cap_tokens,
        packings.is_infeasible,
        packings.table_numbers,
        -- Before anything is skipped, the packed tables are those that were tried.
        len(list_filter(
            range(1, len(packings.table_numbers) + 1),
            lambda place: packings.table_numbers[place] = tried.tried_numbers[place]
        )) as n_opening,
    from {{ ref('greedy_packings') }} as packings
    inner join tried
        on packings.benchmark = tried.benchmark
        and packings.question_id = tried.question_id
        and packings.ranker = tried.ranker
        and packings.packing_order = tried.packing_order
        and packings.representation = tried.representation

),

placed as (

    select
        *,
        list_concat(
            [n_opening],
            list_transform(
                table_numbers[n_opening + 1:], lambda number: list_position(tried_numbers, number)
            ),
            [len(tried_numbers) + 1]
        ) as places,
    from opened

),

gaps as (

    -- What lies between one packed table and the next was skipped with the same room.
    select
        * exclude (places, tried_numbers, table_numbers),
        unnest(places[:-2]) as last_place,
        unnest(places[2:]) as next_place,
        unnest(list_transform(
            range(1, len(places)),
            lambda gap: cap_tokens - coalesce(list_sum(tokens[1:n_opening]), 0) - coalesce(
                list_sum(list_transform(places[2:gap], lambda place: tokens[place])), 0
            )
        )) as room,
    from placed

)

select
    benchmark,
    question_id,
    ranker,
    packing_order,
    representation,
    budget,
    last_place,
    next_place,
    room,
from gaps
where
    if(
        is_infeasible,
        coalesce(list_sum(tokens[1:n_required]), 0) <= cap_tokens,
        list_min(tokens[last_place + 1:next_place - 1]) <= room
        or next_place is null
        or next_place <= last_place
        or room < 0
        or n_opening < n_required
    )
