with

order_rows as (

    select * from {{ ref('gold_order_rows') }}

),

positions as (

    select * from {{ ref('gold_order_positions') }}

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}
    where outcome = 'answered'

),

row_keys as (

    select * from {{ ref('result_row_keys') }}

),

allowed as (

    select
        statement_id,
        wave_id,
        order_rank,
        row_key,
        count(*) as n_copies,
    from order_rows
    group by statement_id, wave_id, order_rank, row_key

),

shown as (

    select
        outcomes.statement_id,
        outcomes.wave_id,
        positions.order_rank,
        row_keys.row_key,
        count(*) as n_copies,
    from outcomes
    inner join positions
        on outcomes.statement_id = positions.statement_id
        and outcomes.wave_id is not distinct from positions.wave_id
    inner join row_keys
        on outcomes.result_id = row_keys.result_id
        and positions.position = row_keys.row_number
    group by all

),

misplaced as (

    select
        shown.statement_id,
        shown.wave_id,
        sum(greatest(shown.n_copies - coalesce(allowed.n_copies, 0), 0)) as n_misplaced_rows,
        sum(shown.n_copies) as n_placed_rows,
    from shown
    left join allowed
        on shown.statement_id = allowed.statement_id
        and shown.wave_id is not distinct from allowed.wave_id
        and shown.order_rank = allowed.order_rank
        and shown.row_key = allowed.row_key
    group by shown.statement_id, shown.wave_id

),

sizes as (

    select
        statement_id,
        wave_id,
        max(to_position) as n_positions,
        count(distinct order_rank) as n_tie_groups,
        bool_or(is_cut_tie) as is_limit_tie,
    from order_rows
    group by statement_id, wave_id

),

orders as (

    -- The probe is believed only where the gold's own rows stand in the places it gives them.
    select
        sizes.statement_id,
        sizes.wave_id,
        sizes.n_tie_groups,
        sizes.is_limit_tie,
        coalesce(misplaced.n_misplaced_rows, 0) = 0
            and sizes.n_positions = outcomes.n_rows
            and coalesce(misplaced.n_placed_rows, 0) = outcomes.n_rows as is_agreed,
    from sizes
    inner join outcomes
        on sizes.statement_id = outcomes.statement_id
        and sizes.wave_id is not distinct from outcomes.wave_id
    left join misplaced
        on sizes.statement_id = misplaced.statement_id
        and sizes.wave_id is not distinct from misplaced.wave_id

)

select * from orders
