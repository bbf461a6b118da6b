with

pairs as (

    select * from {{ ref('pair_exact_verdicts') }}
    where
        not is_match
        and not is_multiset_match
        and not are_rows_missing
        and n_gold_rows = n_predicted_rows
        and n_gold_columns = n_predicted_columns

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

involved as (

    select gold_result_id as result_id from pairs
    union
    select predicted_result_id from pairs

),

untagged as (

    -- A canonical cell without its tag: '5' the text and 5 the number look the same.
    select
        result_rows.result_id,
        to_json(list_transform(result_rows.cells, lambda cell: substr(cell, 3))) as row_text,
    from result_rows
    inner join involved on result_rows.result_id = involved.result_id

),

signatures as (

    select
        result_id,
        md5(string_agg(row_text, chr(31) order by row_text)) as untagged_signature,
    from untagged
    group by result_id

),

matches as (

    select
        pairs.pair_id,
        gold.untagged_signature = predicted.untagged_signature as is_type_only,
    from pairs
    inner join signatures as gold on pairs.gold_result_id = gold.result_id
    inner join signatures as predicted on pairs.predicted_result_id = predicted.result_id

)

select * from matches
