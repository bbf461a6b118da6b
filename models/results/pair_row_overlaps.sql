with

pairs as (

    select * from {{ ref('result_pairs') }}
    where not are_same_result and not are_rows_missing and n_gold_columns = n_predicted_columns

),

row_counts as (

    select * from {{ ref('result_row_counts') }}

),

row_overlaps as (

    select
        pairs.pair_id,
        cast(sum(least(gold.n_copies, predicted.n_copies)) as bigint) as n_common_rows,
        count(*) as n_common_distinct_rows,
    from pairs
    inner join row_counts as gold on pairs.gold_result_id = gold.result_id
    inner join row_counts as predicted
        on pairs.predicted_result_id = predicted.result_id
        and gold.row_key = predicted.row_key
    group by pairs.pair_id

)

select * from row_overlaps
