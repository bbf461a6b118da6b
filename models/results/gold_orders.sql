with

order_rows as (

    select * from {{ ref('gold_order_rows') }}

),

positions as (

    select * from {{ ref('gold_order_positions') }}

),

outcomes as (

    select
        *,
        statement_id as gold_statement_id,
        result_id as shown_result_id,
    from {{ ref('statement_outcomes') }}
    where outcome = 'answered'

),

row_keys as (

    select * from {{ ref('result_row_keys') }}

),

misplaced as (

    {{ misplaced_rows('outcomes', ['gold_statement_id', 'wave_id'], 'row_keys', 'positions', 'order_rows') }}

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
        on sizes.statement_id = misplaced.gold_statement_id
        and sizes.wave_id is not distinct from misplaced.wave_id

)

select * from orders
