with

changed as (

    -- Golds whose rows or their order are not at the end what they were at the start: the end stands for a prediction.
    select
        gold_id,
        wave_id,
        benchmark,
        question_id,
        gold_edition,
        gold_number,
        statement_id as gold_statement_id,
        order_rule,
        is_order_asked,
        is_limit_tie,
        is_order_unkept,
        is_limited,
        result_id as gold_result_id,
        end_result_id as predicted_result_id,
    from {{ ref('gold_outcomes') }}
    where outcome = 'answered' and result_id <> end_result_id

),

results as (

    select * from {{ ref('results') }}

),

positions as (

    select * from {{ ref('gold_order_positions') }}

),

order_rows as (

    select * from {{ ref('gold_order_rows') }}

),

row_keys as (

    select * from {{ ref('result_row_keys') }}

),

pairs as (

    {{ measured_pairs('changed', 'results') }}

),

looked_at as (

    -- Where the order counts and gold's ties are known.
    select
        gold_id,
        gold_statement_id,
        wave_id,
        predicted_result_id as shown_result_id,
    from pairs
    where order_rule = 'tie_groups' and not are_rows_missing

),

order_matches as (

    select
        gold_id,
        wave_id,
        n_misplaced_rows = 0 as is_order_match,
    from (
        {{ misplaced_rows('looked_at', ['gold_id', 'wave_id'], 'row_keys', 'positions', 'order_rows') }}
    )

),

judged as (

    select
        pairs.*,
        {{ exact_verdict('pairs', 'order_matches') }} as is_match,
    from pairs
    left join order_matches
        on pairs.gold_id = order_matches.gold_id
        and pairs.wave_id = order_matches.wave_id

)

select
    gold_id,
    wave_id,
    benchmark,
    question_id,
    gold_edition,
    gold_number,
    gold_result_id as start_result_id,
    predicted_result_id as end_result_id,
    n_gold_rows as n_start_rows,
    n_predicted_rows as n_end_rows,
    case is_multiset_match when true then 'order' when false then 'rows' end as changed_in,
    not coalesce(is_match, true) as is_drifted,
from judged
