with

pairs as (

    -- A match in order, or of other rows of a cut tie, is only possible with as many rows and columns.
    select
        *,
        predicted_result_id as shown_result_id,
    from {{ ref('result_pairs') }}
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

misplaced as (

    {{ misplaced_rows('pairs', ['pair_id'], 'row_keys', 'positions', 'order_rows') }}

)

select
    pair_id,
    n_misplaced_rows = 0 as is_order_match,
from misplaced
