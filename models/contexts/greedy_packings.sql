with recursive

orders as (

    select * from {{ ref('packing_orders') }}

),

caps as (

    select * from {{ ref('budget_caps') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

texts as (

    select * from {{ ref('table_texts') }}
    where naming = 'prefixed'

),

removal_texts as (

    select * from {{ ref('removal_texts') }}
    where naming = 'prefixed'

),

costs as (

    -- The tokens of table 1, 2, … of the pool.
    select
        pool.benchmark,
        texts.representation,
        list(texts.n_tokens order by pool.table_number) as tokens,
    from texts
    inner join pool
        on texts.benchmark = pool.benchmark
        and texts.db_id = pool.db_id
        and texts.table_key = pool.table_key
    group by pool.benchmark, texts.representation

),

changed_costs as (

    select
        removal_texts.benchmark,
        removal_texts.question_id,
        removal_texts.representation,
        list(pool.table_number order by pool.table_number) as table_numbers,
        list(removal_texts.n_tokens order by pool.table_number) as tokens,
    from removal_texts
    inner join pool
        on removal_texts.benchmark = pool.benchmark
        and removal_texts.db_id = pool.db_id
        and removal_texts.table_key = pool.table_key
    group by removal_texts.benchmark, removal_texts.question_id, removal_texts.representation

),

priced as (

    select
        orders.order_number,
        orders.benchmark,
        costs.representation,
        orders.table_numbers,
        if(
            changed_costs.table_numbers is null,
            list_transform(orders.table_numbers, lambda number: costs.tokens[number]),
            list_transform(
                orders.table_numbers,
                lambda number: coalesce(
                    changed_costs.tokens[list_position(changed_costs.table_numbers, number)], costs.tokens[number]
                )
            )
        ) as tokens,
    from orders
    inner join costs on orders.benchmark = costs.benchmark
    left join changed_costs
        on orders.packing_order = 'required_removed'
        and orders.benchmark = changed_costs.benchmark
        and orders.question_id = changed_costs.question_id
        and costs.representation = changed_costs.representation

),

strides as (

    -- Powers of two, the largest first, that together reach the last table.
    select
        benchmark,
        list_transform(
            range(ceil(log2(count(*) + 1))::bigint - 1, -1, -1),
            lambda exponent: (1 << exponent)::bigint
        ) as strides,
    from pool
    group by benchmark

),

opened as (

    -- Tables fit one after the other until one does not: its place is found by halving.
    select
        priced.order_number,
        priced.representation,
        caps.budget,
        caps.cap_tokens,
        priced.table_numbers,
        priced.tokens,
        list_reduce(
            strides.strides,
            lambda n_fitting, stride: if(
                coalesce(list_sum(priced.tokens[1:n_fitting + stride]), 0) <= caps.cap_tokens,
                n_fitting + stride,
                n_fitting
            ),
            0::bigint
        ) as n_fitting,
    from priced
    inner join caps on priced.benchmark = caps.benchmark
    inner join strides on priced.benchmark = strides.benchmark

),

measured as (

    select
        *,
        least(len(tokens), n_fitting) as n_opening,
        (cap_tokens - coalesce(list_sum(tokens[1:n_opening]), 0))::bigint as room,
        table_numbers[n_opening + 2:] as later_numbers,
        tokens[n_opening + 2:] as later_tokens,
    from opened

),

rounds as (

    -- Behind the opening the first table that is small enough is the next one, and room only shrinks: what is too
    -- large once can be forgotten.
    select
        order_number,
        representation,
        budget,
        0 as round,
        null::integer as table_number,
        null::integer as n_tokens,
        room,
        list_filter(
            list_zip(later_numbers, later_tokens),
            lambda later: later[2] <= room
        ) as candidates,
    from measured

    union all

    select
        order_number,
        representation,
        budget,
        round + 1 as round,
        candidates[1][1] as table_number,
        candidates[1][2] as n_tokens,
        room - candidates[1][2] as room,
        list_filter(candidates[2:], lambda later: later[2] <= room - candidates[1][2]) as candidates,
    from rounds
    where len(candidates) > 0

),

late as (

    select
        order_number,
        representation,
        budget,
        list(table_number order by round) as table_numbers,
        sum(n_tokens) as n_tokens,
    from rounds
    where round > 0
    group by order_number, representation, budget

),

packed as (

    select
        orders.benchmark,
        orders.question_id,
        orders.ranker,
        orders.packing_order,
        measured.representation,
        measured.budget,
        measured.cap_tokens,
        measured.n_opening < orders.n_required as is_infeasible,
        list_concat(measured.table_numbers[1:measured.n_opening], coalesce(late.table_numbers, [])) as table_numbers,
        measured.cap_tokens - measured.room + coalesce(late.n_tokens, 0) as n_tokens,
    from measured
    inner join orders on measured.order_number = orders.order_number
    left join late
        on measured.order_number = late.order_number
        and measured.representation = late.representation
        and measured.budget = late.budget

),

packings as (

    select
        benchmark,
        question_id,
        ranker,
        packing_order,
        representation,
        budget,
        cap_tokens,
        is_infeasible,
        if(is_infeasible, [], table_numbers) as table_numbers,
        if(is_infeasible, 0, n_tokens)::integer as n_tokens,
    from packed

)

select * from packings
