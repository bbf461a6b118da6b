with

pairs as (

    -- A match in order, or of other rows of a cut tie, is only possible with as many rows and columns.
    select * from {{ ref('result_pairs') }}
    where
        order_rule = 'tie_groups'
        and not are_same_result
        and not are_rows_missing
        and n_gold_rows = n_predicted_rows
        and n_gold_columns = n_predicted_columns
        and (is_multiset_match or is_limit_tie)

),

positions as (

    select * from {{ ref('gold_order_positions') }}

),

order_rows as (

    select * from {{ ref('gold_order_rows') }}

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
        pairs.pair_id,
        pairs.gold_statement_id,
        pairs.wave_id,
        positions.order_rank,
        row_keys.row_key,
        count(*) as n_copies,
    from pairs
    inner join row_keys on pairs.predicted_result_id = row_keys.result_id
    inner join positions
        on pairs.gold_statement_id = positions.statement_id
        and pairs.wave_id is not distinct from positions.wave_id
        and row_keys.row_number = positions.position
    group by all

),

matches as (

    select
        shown.pair_id,
        sum(greatest(shown.n_copies - coalesce(allowed.n_copies, 0), 0)) = 0 as is_order_match,
    from shown
    left join allowed
        on shown.gold_statement_id = allowed.statement_id
        and shown.wave_id is not distinct from allowed.wave_id
        and shown.order_rank = allowed.order_rank
        and shown.row_key = allowed.row_key
    group by shown.pair_id

)

select * from matches
