with

order_rows as (

    select * from {{ ref('gold_order_rows') }}

),

tie_groups as (

    select distinct
        statement_id,
        wave_id,
        order_rank,
        from_position,
        to_position,
    from order_rows

),

positions as (

    select
        statement_id,
        wave_id,
        order_rank,
        unnest(range(from_position, to_position + 1)) as position,
    from tie_groups

)

select * from positions
