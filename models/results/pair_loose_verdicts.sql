with

inputs as (

    select * from {{ ref('pair_match_inputs') }}

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

positions as (

    select * from {{ ref('gold_order_positions') }}

),

order_rows as (

    select * from {{ ref('gold_order_rows') }}

),

-- Rows with the group of places they stand in: one group where order does not count, one per place where
-- it is strict, one per tie where gold's ties are known.
plain_gold_rows as (

    select
        inputs.pair_id,
        list(result_rows.cells order by result_rows.row_number) as gold_rows,
        list(
            case when inputs.order_rule = 'strict' then result_rows.row_number else 0 end
            order by result_rows.row_number
        ) as gold_groups,
    from inputs
    inner join result_rows on inputs.gold_result_id = result_rows.result_id
    where inputs.order_rule <> 'tie_groups'
    group by inputs.pair_id

),

tied_gold_rows as (

    select
        inputs.pair_id,
        list(order_rows.cells order by order_rows.order_rank, order_rows.row_key) as gold_rows,
        list(order_rows.order_rank order by order_rows.order_rank, order_rows.row_key) as gold_groups,
    from inputs
    inner join order_rows
        on inputs.gold_statement_id = order_rows.statement_id
        and inputs.wave_id is not distinct from order_rows.wave_id
    where inputs.order_rule = 'tie_groups'
    group by inputs.pair_id

),

gold_rows as (

    select * from plain_gold_rows
    union all
    select * from tied_gold_rows

),

predicted_rows as (

    select
        inputs.pair_id,
        list(result_rows.cells order by result_rows.row_number) as predicted_rows,
        list(
            case inputs.order_rule
                when 'strict' then result_rows.row_number
                when 'tie_groups' then positions.order_rank
                else 0
            end
            order by result_rows.row_number
        ) as predicted_groups,
    from inputs
    inner join result_rows on inputs.predicted_result_id = result_rows.result_id
    left join positions
        on inputs.order_rule = 'tie_groups'
        and inputs.gold_statement_id = positions.statement_id
        and inputs.wave_id is not distinct from positions.wave_id
        and result_rows.row_number = positions.position
    group by inputs.pair_id

),

matched as (

    select
        inputs.pair_id,
        case
            when inputs.can_permute and inputs.n_gold_columns = inputs.n_predicted_columns then match_columns(
                gold_rows.gold_rows,
                predicted_rows.predicted_rows,
                gold_rows.gold_groups,
                predicted_rows.predicted_groups,
                'permuted'
            )
        end as permuted,
        case
            when inputs.can_permute and inputs.n_gold_columns < inputs.n_predicted_columns then match_columns(
                gold_rows.gold_rows,
                predicted_rows.predicted_rows,
                gold_rows.gold_groups,
                predicted_rows.predicted_groups,
                'projection'
            )
        end as projected,
        case
            when inputs.can_be_near then match_tolerant(
                gold_rows.gold_rows,
                predicted_rows.predicted_rows,
                gold_rows.gold_groups,
                predicted_rows.predicted_groups
            )
        end as tolerant,
    from inputs
    inner join gold_rows on inputs.pair_id = gold_rows.pair_id
    inner join predicted_rows on inputs.pair_id = predicted_rows.pair_id

),

verdicts as (

    select
        pair_id,
        permuted.outcome as permuted_outcome,
        coalesce(projected.outcome, permuted.outcome) as projection_outcome,
        coalesce(projected.mapping, permuted.mapping) as column_mapping,
        tolerant.outcome as tolerant_outcome,
    from matched

)

select * from verdicts
