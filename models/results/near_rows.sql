with

pairs as (

    -- Pairs in which the plan can change nothing but the last digits of numbers.
    select distinct
        gold_result_id,
        predicted_result_id,
    from {{ ref('comparisons') }}
    where
        gold_outcome = 'answered'
        and predicted_outcome = 'answered'
        and (is_gold_float_sensitive or is_predicted_float_sensitive)

),

involved as (

    select gold_result_id as result_id from pairs
    union
    select predicted_result_id from pairs

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

rounded as (

    -- Numbers to six digits, rounded at two different places: two numbers that differ only in their last
    -- digits agree in at least one of the two, wherever they lie.
    select
        result_rows.result_id,
        result_rows.row_number,
        md5(to_json(list_transform(result_rows.cells, lambda cell: {{ rounded_cell('cell', '1.0') }}))) as near_key,
        md5(to_json(list_transform(result_rows.cells, lambda cell: {{ rounded_cell('cell', '1.0000037') }}))) as other_near_key,
    from result_rows
    inner join involved on result_rows.result_id = involved.result_id

)

select * from rounded
