with

pairs as (

    -- Pairs that only another choice of columns, or a tolerance, could still match.
    select * from {{ ref('pair_exact_verdicts') }}
    where
        not is_match
        and not are_rows_missing
        and n_gold_rows = n_predicted_rows
        and n_predicted_columns >= n_gold_columns

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

involved as (

    select gold_result_id as result_id from pairs
    union
    select predicted_result_id from pairs

),

cells as (

    select
        result_rows.result_id,
        result_rows.row_number,
        unnest(result_rows.cells) as cell,
        generate_subscripts(result_rows.cells, 1) as column_number,
    from result_rows
    inner join involved on result_rows.result_id = involved.result_id

),

column_signatures as (

    -- Two columns that could be one another hold the same values; as text, the same apart from numbers.
    select
        result_id,
        column_number,
        md5(string_agg(coalesce(cell, chr(30)), chr(31) order by cell)) as value_signature,
        count(*) filter (where starts_with(cell, 'n:')) as n_numbers,
        md5(string_agg(case when cell is null then chr(30) when starts_with(cell, 'n:') then 'n:' else cell end, chr(31)
            order by case when starts_with(cell, 'n:') then 'n:' else cell end)) as shape_signature,
    from cells
    group by result_id, column_number

),

result_columns as (

    select
        result_id,
        list(value_signature order by column_number) as value_signatures,
        list(shape_signature order by column_number) as shape_signatures,
        sum(n_numbers) as n_numbers,
    from column_signatures
    group by result_id

),

inputs as (

    select
        pairs.pair_id,
        pairs.order_id,
        pairs.order_rule,
        pairs.gold_statement_id,
        pairs.wave_id,
        pairs.gold_result_id,
        pairs.predicted_result_id,
        pairs.n_gold_columns,
        pairs.n_predicted_columns,
        pairs.is_limit_tie,
        -- Other rows of a cut tie are accepted, so there the columns need not hold the same values.
        pairs.is_limit_tie
            or len(list_filter(gold.value_signatures, lambda value: not list_contains(predicted.value_signatures, value))) = 0
            as can_permute,
        pairs.n_gold_columns = pairs.n_predicted_columns
            and gold.n_numbers > 0
            and (pairs.is_limit_tie or gold.shape_signatures = predicted.shape_signatures) as can_be_near,
    from pairs
    inner join result_columns as gold on pairs.gold_result_id = gold.result_id
    inner join result_columns as predicted on pairs.predicted_result_id = predicted.result_id

)

select * from inputs
where can_permute or can_be_near
