with

pairs as (

    select * from {{ ref('result_pairs') }}
    where not are_same_result and not are_rows_missing and not are_both_empty

),

row_keys as (

    select * from {{ ref('result_row_keys') }}

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

involved as (

    select gold_result_id as result_id from pairs
    union
    select predicted_result_id from pairs

),

distinct_rows as (

    -- Duplicates dropped, in order of first appearance, as the script does.
    select
        row_keys.result_id,
        row_keys.row_key,
        min(row_keys.row_number) as first_row_number,
        row_number() over (partition by row_keys.result_id order by min(row_keys.row_number)) as distinct_position,
    from row_keys
    inner join involved on row_keys.result_id = involved.result_id
    group by row_keys.result_id, row_keys.row_key

),

gold_rows as (

    select
        pairs.pair_id,
        distinct_rows.row_key,
        distinct_rows.distinct_position,
        result_rows.cells,
    from pairs
    inner join distinct_rows on pairs.gold_result_id = distinct_rows.result_id
    inner join result_rows
        on distinct_rows.result_id = result_rows.result_id
        and distinct_rows.first_row_number = result_rows.row_number

),

predicted_rows as (

    select
        pairs.pair_id,
        distinct_rows.row_key,
        distinct_rows.distinct_position,
        result_rows.cells,
    from pairs
    inner join distinct_rows on pairs.predicted_result_id = distinct_rows.result_id
    inner join result_rows
        on distinct_rows.result_id = result_rows.result_id
        and distinct_rows.first_row_number = result_rows.row_number

),

gold_leftovers as (

    select
        gold_rows.pair_id,
        gold_rows.cells,
        row_number() over (partition by gold_rows.pair_id order by gold_rows.distinct_position) as place,
    from gold_rows
    anti join predicted_rows
        on gold_rows.pair_id = predicted_rows.pair_id
        and gold_rows.row_key = predicted_rows.row_key

),

predicted_leftovers as (

    select
        predicted_rows.pair_id,
        predicted_rows.cells,
        row_number() over (partition by predicted_rows.pair_id order by predicted_rows.distinct_position) as place,
    from predicted_rows
    anti join gold_rows
        on predicted_rows.pair_id = gold_rows.pair_id
        and predicted_rows.row_key = gold_rows.row_key

),

paired as (

    -- The script's pairing: the first row with the first, the second with the second.
    select
        coalesce(gold_rows.pair_id, predicted_rows.pair_id) as pair_id,
        'by_position' as pairing,
        gold_rows.cells as gold_cells,
        predicted_rows.cells as predicted_cells,
    from gold_rows
    full join predicted_rows
        on gold_rows.pair_id = predicted_rows.pair_id
        and gold_rows.distinct_position = predicted_rows.distinct_position

    union all

    -- Ours: equal rows with each other wherever they stand, then what is left by position.
    select
        pair_id,
        'equal_rows_first' as pairing,
        gold_rows.cells as gold_cells,
        predicted_rows.cells as predicted_cells,
    from gold_rows
    inner join predicted_rows using (pair_id, row_key)

    union all

    select
        coalesce(gold_leftovers.pair_id, predicted_leftovers.pair_id) as pair_id,
        'equal_rows_first' as pairing,
        gold_leftovers.cells as gold_cells,
        predicted_leftovers.cells as predicted_cells,
    from gold_leftovers
    full join predicted_leftovers
        on gold_leftovers.pair_id = predicted_leftovers.pair_id
        and gold_leftovers.place = predicted_leftovers.place

),

counted as (

    -- In cells, so that the counts are whole and their ratios exact; a row without a partner counts as one
    -- whole row of gold's width.
    select
        paired.pair_id,
        paired.pairing,
        sum(case
            when paired.gold_cells is null or paired.predicted_cells is null then 0
            else len(list_filter(paired.predicted_cells, lambda cell: {{ holds_cell('paired.gold_cells', 'cell') }}))
        end) as n_true_positive_cells,
        sum(case
            when paired.gold_cells is null then pairs.n_gold_columns
            when paired.predicted_cells is null then 0
            else len(list_filter(paired.predicted_cells, lambda cell: not {{ holds_cell('paired.gold_cells', 'cell') }}))
        end) as n_false_positive_cells,
        sum(case
            when paired.predicted_cells is null then pairs.n_gold_columns
            when paired.gold_cells is null then 0
            else len(list_filter(paired.gold_cells, lambda cell: not {{ holds_cell('paired.predicted_cells', 'cell') }}))
        end) as n_false_negative_cells,
    from paired
    inner join pairs on paired.pair_id = pairs.pair_id
    group by paired.pair_id, paired.pairing

),

scored as (

    -- F1 of precision TP/(TP+FP) and recall TP/(TP+FN) is 2 TP / (2 TP + FP + FN).
    select
        pair_id,
        pairing,
        case
            when n_true_positive_cells = 0 then 0.0
            else 2 * n_true_positive_cells
                / (2 * n_true_positive_cells + n_false_positive_cells + n_false_negative_cells)::double
        end as soft_f1,
    from counted

)

select
    pair_id,
    max(soft_f1) filter (where pairing = 'equal_rows_first') as soft_f1,
    max(soft_f1) filter (where pairing = 'by_position') as soft_f1_by_position,
from scored
group by pair_id
