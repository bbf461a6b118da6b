with

contrasts as (

    select * from {{ ref('cell_contrasts') }}
    where cell_factor = 'budget'

),

gains as (

    select
        contrast_family,
        benchmark,
        model,
        solver_id,
        ranker,
        representation,
        condition,
        naming,
        slice_by,
        slice,
        metric,
        level_a as budget_a,
        level_b as budget_b,
        value_a,
        value_b,
        difference as gain,
        ci_low,
        ci_high,
        ci_low_clustered,
        ci_high_clustered,
        n_clusters,
        is_few_clusters,
        clustering_reason,
        n_questions,
        n_infeasible,
        n_only_a,
        n_only_b,
        p_mcnemar,
        mcnemar_reason,
        p_holm,
        smallest_detectable_difference,
        protocol,
        set_a,
        set_b,
    from contrasts

)

select * from gains
order by contrast_family, benchmark, model, solver_id, condition, naming, representation, ranker, set_a, set_b
