with

execution_match as (

    select * from {{ ref('execution_match') }}

),

exact_match as (

    select * from {{ ref('score_exact_match') }}

),

semantic_recall as (

    select * from {{ ref('score_semantic_recall') }}

),

scored as (

    select
        execution_match.prediction_id,
        case
            when not execution_match.is_judged then null
            when not coalesce(execution_match.ex, false) then false
            else exact_match.em is distinct from true or semantic_recall.semantic_recall < 1
        end as sd_op,
        coalesce(execution_match.ex, false) as is_ex_passing,
    from execution_match
    left join exact_match on execution_match.prediction_id = exact_match.prediction_id
    left join semantic_recall on execution_match.prediction_id = semantic_recall.prediction_id

)

select * from scored
