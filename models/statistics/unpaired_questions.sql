with

cell_sets as (

    -- A majority is in no pair of cells.
    select * from {{ ref('cell_sets') }}
    where not is_derived

),

infeasible as (

    -- Over the cap in one representation, left out in all.
    select distinct
        benchmark,
        question_id,
        ranker,
        budget,
        condition,
    from {{ ref('packings') }}
    where is_infeasible

),

unpaired as (

    select
        cell_sets.prediction_set,
        cell_sets.benchmark,
        infeasible.question_id,
    from cell_sets
    inner join infeasible
        on cell_sets.benchmark = infeasible.benchmark
        and cell_sets.ranker = infeasible.ranker
        and cell_sets.budget = infeasible.budget
        and cell_sets.condition = infeasible.condition

)

select * from unpaired
