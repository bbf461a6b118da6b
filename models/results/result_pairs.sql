with

comparisons as (

    select * from {{ ref('comparisons') }}
    union all by name
    select * from {{ ref('distractor_comparisons') }}

),

results as (

    select * from {{ ref('results') }}

),

answered as (

    select
        md5(concat_ws(chr(31), order_id, gold_result_id, predicted_result_id)) as pair_id,
        order_id,
        gold_result_id,
        predicted_result_id,
        any_value(order_rule) as order_rule,
        min(gold_statement_id) as gold_statement_id,
        min(wave_id) as wave_id,
        bool_or(is_limit_tie) as is_limit_tie,
        bool_or(is_order_asked) as is_order_asked,
        bool_or(coalesce(is_order_unkept, false)) as is_order_unkept,
        bool_or(coalesce(is_limited, false)) as is_limited,
    from comparisons
    where gold_outcome = 'answered' and predicted_outcome = 'answered'
    group by order_id, gold_result_id, predicted_result_id

),

measured as (

    {{ measured_pairs('answered', 'results') }}

)

select * from measured
