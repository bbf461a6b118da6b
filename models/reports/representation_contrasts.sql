with

contrasts as (

    select * from {{ ref('cell_contrasts') }}
    where cell_factor = 'representation'

),

budgets as (

    select * from {{ ref('budgets') }}

),

compared as (

    select
        contrasts.contrast_family,
        contrasts.benchmark,
        contrasts.model,
        contrasts.solver_id,
        contrasts.ranker,
        contrasts.budget,
        budgets.share,
        contrasts.condition,
        contrasts.naming,
        contrasts.slice_by,
        contrasts.slice,
        contrasts.metric,
        contrasts.level_a as representation_a,
        contrasts.level_b as representation_b,
        contrasts.value_a,
        contrasts.value_b,
        contrasts.difference,
        contrasts.ci_low,
        contrasts.ci_high,
        contrasts.ci_low_clustered,
        contrasts.ci_high_clustered,
        contrasts.n_clusters,
        contrasts.is_few_clusters,
        contrasts.clustering_reason,
        contrasts.n_questions,
        contrasts.n_infeasible,
        contrasts.n_only_a,
        contrasts.n_only_b,
        contrasts.p_mcnemar,
        contrasts.mcnemar_reason,
        contrasts.p_holm,
        contrasts.equivalence_margin,
        contrasts.ci90_low,
        contrasts.ci90_high,
        contrasts.ci90_low_clustered,
        contrasts.ci90_high_clustered,
        contrasts.is_within_margin,
        contrasts.smallest_detectable_difference,
        contrasts.protocol,
        contrasts.set_a,
        contrasts.set_b,
    from contrasts
    inner join budgets on contrasts.budget = budgets.budget

)

select * from compared
order by
    contrast_family, benchmark, model, solver_id, condition, naming, ranker, share, representation_a, representation_b
