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
        {{ exact_verdict('pairs', 'order_matches') }} as is_match,
    from pairs
    left join order_matches on pairs.pair_id = order_matches.pair_id

)

select * from verdicts
