with

cell_sets as (

    select * from {{ ref('cell_sets') }}
    where not is_planned

),

contexts as (

    select * from {{ ref('context_means') }}
    where slice_by = 'collision_stratum'

),

intervals as (

    select * from {{ ref('metric_intervals') }}
    where
        protocol = 'budget_schema_bench'
        and metric = 'ex_set_namespace'
        and slice_by = 'collision_stratum'

),

budgets as (

    select * from {{ ref('budgets') }}

),

stratified as (

    select
        cell_sets.benchmark,
        cell_sets.model,
        cell_sets.ranker,
        cell_sets.representation,
        cell_sets.budget,
        budgets.share,
        cell_sets.condition,
        cell_sets.naming,
        contexts.slice as stratum,
        intervals.value,
        intervals.numerator,
        intervals.denominator,
        intervals.ci_low,
        intervals.ci_high,
        intervals.ci_low_clustered,
        intervals.ci_high_clustered,
        intervals.n_clusters,
        intervals.is_few_clusters,
        intervals.clustering_reason,
        contexts.mean_table_recall,
        contexts.full_coverage,
        contexts.n_recalls,
        contexts.n_asked,
        contexts.n_contexts,
        contexts.n_infeasible,
        cell_sets.is_derived as is_majority,
        cell_sets.solver_id,
        cell_sets.prediction_set,
    from cell_sets
    inner join budgets on cell_sets.budget = budgets.budget
    inner join contexts
        on cell_sets.prediction_set = contexts.prediction_set
        and cell_sets.benchmark = contexts.benchmark
    left join intervals
        on contexts.prediction_set = intervals.prediction_set
        and contexts.benchmark = intervals.benchmark
        and contexts.slice = intervals.slice

)

select * from stratified
order by
    benchmark, model, solver_id, is_majority, naming, condition, ranker, representation, share, prediction_set,
    case stratum when 'none' then 1 when 'some' then 2 else 3 end
