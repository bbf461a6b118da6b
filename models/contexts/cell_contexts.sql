with

asked as (

    -- What controls answer is shown nobody.
    select distinct
        benchmark,
        question_id,
        setting,
        ranker,
        representation,
        budget,
        condition,
        naming,
    from {{ ref('cell_questions') }}
    where status = 'ready' and not is_control

),

packings as (

    select * from {{ ref('packings') }}

),

conditions as (

    select * from {{ ref('conditions') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

table_texts as (

    select * from {{ ref('table_texts') }}

),

removal_texts as (

    select * from {{ ref('removal_texts') }}

),

pieces as (

    select * from {{ ref('context_pieces') }}

),

priced as (

    select
        pool.benchmark,
        pool.table_number,
        table_texts.representation,
        table_texts.naming,
        pieces.text_id,
        pieces.piece_number,
        table_texts.n_tokens,
    from table_texts
    inner join pool
        on table_texts.benchmark = pool.benchmark
        and table_texts.db_id = pool.db_id
        and table_texts.table_key = pool.table_key
    inner join pieces on table_texts.text = pieces.text

),

priced_removals as (

    select
        pool.benchmark,
        removal_texts.question_id,
        pool.table_number,
        removal_texts.representation,
        removal_texts.naming,
        pieces.text_id,
        pieces.piece_number,
        removal_texts.n_tokens,
    from removal_texts
    inner join pool
        on removal_texts.benchmark = pool.benchmark
        and removal_texts.db_id = pool.db_id
        and removal_texts.table_key = pool.table_key
    inner join pieces on removal_texts.text = pieces.text

),

places as (

    select
        asked.*,
        conditions.packing_order = 'required_removed' as is_removal,
        unnest(packings.table_numbers) as table_number,
        unnest(range(1, packings.n_tables + 1)) as place,
    from asked
    inner join conditions on asked.condition = conditions.condition
    inner join packings
        on asked.benchmark = packings.benchmark
        and asked.question_id = packings.question_id
        and asked.ranker = packings.ranker
        and asked.representation = packings.representation
        and asked.budget = packings.budget
        and asked.condition = packings.condition

),

filled as (

    select
        places.benchmark,
        places.question_id,
        places.setting,
        places.place,
        coalesce(priced_removals.text_id, priced.text_id) as text_id,
        coalesce(priced_removals.piece_number, priced.piece_number) as piece_number,
        coalesce(priced_removals.n_tokens, priced.n_tokens) as n_tokens,
    from places
    inner join priced
        on places.benchmark = priced.benchmark
        and places.table_number = priced.table_number
        and places.representation = priced.representation
        and places.naming = priced.naming
    left join priced_removals
        on places.is_removal
        and places.benchmark = priced_removals.benchmark
        and places.question_id = priced_removals.question_id
        and places.table_number = priced_removals.table_number
        and places.representation = priced_removals.representation
        and places.naming = priced_removals.naming

),

gathered as (

    select
        benchmark,
        question_id,
        setting,
        md5(string_agg(text_id, ' ' order by place)) as context_id,
        sum(n_tokens)::integer as n_tokens,
        list(piece_number order by place) as piece_numbers,
    from filled
    group by benchmark, question_id, setting

),

contexts as (

    -- A context that no table fits into is empty, and asked with all the same.
    select
        asked.benchmark,
        asked.question_id,
        asked.setting,
        coalesce(gathered.context_id, md5('')) as context_id,
        coalesce(gathered.n_tokens, 0) as n_tokens,
        coalesce(gathered.piece_numbers, []) as piece_numbers,
    from asked
    left join gathered
        on asked.benchmark = gathered.benchmark
        and asked.question_id = gathered.question_id
        and asked.setting = gathered.setting

)

select * from contexts
