with

mistakes as (

    select distinct pair_id from {{ ref('calibration_mistakes') }}
    where pair_id is not null

),

pairs as (

    select verdicts.* from {{ ref('pair_verdicts') }} as verdicts
    semi join mistakes on verdicts.pair_id = mistakes.pair_id
    where
        verdicts.n_predicted_columns < verdicts.n_gold_columns
        and verdicts.n_predicted_rows = verdicts.n_gold_rows
        and verdicts.n_gold_rows > 0
        and not verdicts.are_rows_missing

),

involved as (

    select gold_result_id as result_id from pairs
    union
    select predicted_result_id from pairs

),

whole_results as (

    select
        result_rows.result_id,
        list(result_rows.cells order by result_rows.row_number) as result_cells,
        -- Order is not looked at: all rows may stand in one another's place.
        list(0::bigint) as row_groups,
    from {{ ref('stg_result_rows') }} as result_rows
    semi join involved on result_rows.result_id = involved.result_id
    group by result_rows.result_id

),

searched as (

    -- A projection the other way round: gold's columns are chosen from.
    select
        pairs.pair_id,
        match_columns(
            predicted.result_cells,
            gold.result_cells,
            predicted.row_groups,
            gold.row_groups,
            'projection'
        ) as found,
    from pairs
    inner join whole_results as gold on pairs.gold_result_id = gold.result_id
    inner join whole_results as predicted on pairs.predicted_result_id = predicted.result_id

)

select
    pair_id,
    found.mapping as column_mapping,
from searched
where found.outcome = 'match'
