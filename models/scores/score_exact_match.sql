with

predictions as (

    select * from {{ ref('predictions') }}

),

golds as (

    select * from {{ ref('golds') }}

),

union_golds as (

    select * from {{ ref('union_golds') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

compared as (

    select
        predictions.prediction_id,
        coalesce(predicted.normal_form = gold.normal_form, false) as is_equal,
        coalesce(predicted.normal_form_lower = gold.normal_form_lower, false) as is_equal_lower,
        gold.normal_form is not null as is_gold_normal,
    from predictions
    inner join golds
        on predictions.benchmark = golds.benchmark
        and predictions.question_id = golds.question_id
        and predictions.gold_edition = golds.gold_edition
    left join syntax as predicted on predictions.sql_id = predicted.sql_id
    left join union_golds on golds.gold_id = union_golds.gold_id
    -- A prediction in a union namespace is held against the gold in that namespace.
    left join syntax as gold
        on case when predictions.namespace is null then golds.sql_id else union_golds.union_sql_id end = gold.sql_id
    where not predictions.is_waiting

),

scored as (

    -- A gold that does not parse, or is a stored result, has no text to equal: NULL, not wrong.
    select
        prediction_id,
        case when bool_or(is_gold_normal) then bool_or(is_equal) end as em,
        case when bool_or(is_gold_normal) then bool_or(is_equal_lower) end as em_lower,
    from compared
    group by prediction_id

)

select * from scored
