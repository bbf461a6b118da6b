with

verdicts as (

    select * from {{ ref('pair_verdicts') }}
    where not coalesce(ex_multiset, true) and not are_rows_missing

),

row_counts as (

    select * from {{ ref('result_row_counts') }}

),

row_keys as (

    select * from {{ ref('result_row_keys') }}

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

gold_rows as (

    select
        verdicts.pair_id,
        row_counts.row_key,
        row_counts.n_copies,
    from verdicts
    inner join row_counts on verdicts.gold_result_id = row_counts.result_id

),

predicted_rows as (

    select
        verdicts.pair_id,
        row_counts.row_key,
        row_counts.n_copies,
    from verdicts
    inner join row_counts on verdicts.predicted_result_id = row_counts.result_id

),

differences as (

    select
        coalesce(gold_rows.pair_id, predicted_rows.pair_id) as pair_id,
        coalesce(gold_rows.row_key, predicted_rows.row_key) as row_key,
        coalesce(gold_rows.n_copies, 0) as n_in_gold,
        coalesce(predicted_rows.n_copies, 0) as n_in_prediction,
    from gold_rows
    full join predicted_rows
        on gold_rows.pair_id = predicted_rows.pair_id
        and gold_rows.row_key = predicted_rows.row_key
    where gold_rows.n_copies is distinct from predicted_rows.n_copies

),

sided as (

    select
        *,
        row_number() over (partition by pair_id, n_in_gold > n_in_prediction order by row_key) as place_on_side,
    from differences

),

shown as (

    -- Up to five rows a pair, taken in turn from what is missing and what is too many.
    select * from sided
    qualify row_number() over (partition by pair_id order by place_on_side, n_in_gold desc, row_key) <= 5

),

places as (

    select
        shown.pair_id,
        shown.row_key,
        min(row_keys.row_number) as row_number,
        if(shown.n_in_gold > 0, any_value(verdicts.gold_result_id), any_value(verdicts.predicted_result_id)) as result_id,
        any_value(shown.n_in_gold) as n_in_gold,
        any_value(shown.n_in_prediction) as n_in_prediction,
    from shown
    inner join verdicts on shown.pair_id = verdicts.pair_id
    inner join row_keys
        on if(shown.n_in_gold > 0, verdicts.gold_result_id, verdicts.predicted_result_id) = row_keys.result_id
        and shown.row_key = row_keys.row_key
    group by shown.pair_id, shown.row_key, shown.n_in_gold

)

select
    places.pair_id,
    case
        when places.n_in_prediction = 0 then 'missing'
        when places.n_in_gold = 0 then 'extra'
        else 'count'
    end as difference,
    places.n_in_gold,
    places.n_in_prediction,
    result_rows.cells,
from places
inner join result_rows
    on places.result_id = result_rows.result_id
    and places.row_number = result_rows.row_number
order by places.pair_id, difference desc, places.row_key
