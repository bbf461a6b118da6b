with

recalls as (

    select * from {{ ref('table_recall') }}

),

splits as (

    select * from {{ ref('question_splits') }}

),

budgets as (

    select * from {{ ref('budgets') }}

),

grouped as (

    select
        recalls.*,
        unnest(['all', splits.split]) as split,
    from recalls
    inner join splits
        on recalls.benchmark = splits.benchmark
        and recalls.question_id = splits.question_id

),

averaged as (

    -- Recalls of a question are ratios of small numbers: rounded, their mean is the same in whatever order.
    select
        grouped.benchmark,
        grouped.ranker,
        grouped.representation,
        grouped.budget,
        budgets.share,
        grouped.condition,
        grouped.split,
        count(*) filter (where not grouped.is_infeasible) as n_questions,
        count(*) filter (where grouped.is_infeasible) as n_infeasible,
        round(avg(grouped.recall) filter (where not grouped.is_infeasible), 9) as mean_recall,
        count(*) filter (where grouped.is_fully_covered)
        / nullif(count(*) filter (where not grouped.is_infeasible), 0) as full_coverage,
    from grouped
    inner join budgets on grouped.budget = budgets.budget
    group by
        grouped.benchmark,
        grouped.ranker,
        grouped.representation,
        grouped.budget,
        budgets.share,
        grouped.condition,
        grouped.split

)

select * from averaged
order by benchmark, condition, split, ranker, representation, share
