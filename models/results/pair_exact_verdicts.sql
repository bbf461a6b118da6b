with

pairs as (

    select * from {{ ref('result_pairs') }}

),

order_matches as (

    select * from {{ ref('pair_order_matches') }}

),

verdicts as (

    select
        pairs.*,
        case
            when pairs.are_same_result or pairs.are_both_empty then true
            when pairs.n_gold_rows <> pairs.n_predicted_rows then false
            when pairs.order_rule = 'none' then pairs.is_multiset_match
            when pairs.order_rule = 'strict' then false
            when pairs.n_gold_columns <> pairs.n_predicted_columns then false
            -- Places are compared row by row, which takes every row.
            when pairs.is_cut then case when not pairs.is_multiset_match then false end
            else coalesce(order_matches.is_order_match, false)
        end as is_match,
    from pairs
    left join order_matches on pairs.pair_id = order_matches.pair_id

)

select * from verdicts
