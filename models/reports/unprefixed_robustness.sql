with

contrasts as (

    select * from {{ ref('cell_contrasts') }}
    where cell_factor = 'naming' and level_a = 'bare' and level_b = 'prefixed'

),

budgets as (

    select * from {{ ref('budgets') }}

),

gains as (

    -- The family's own, not what another one compares.
    select * from {{ ref('budget_gains') }}
    where contrast_family = 'budget_gain'

),

robustness as (

    select
        contrasts.contrast_family,
        contrasts.benchmark,
        contrasts.model,
        contrasts.solver_id,
        contrasts.ranker,
        contrasts.representation,
        contrasts.budget,
        budgets.share,
        contrasts.condition,
        contrasts.slice_by,
        contrasts.slice,
        contrasts.metric,
        contrasts.value_b as value_prefixed,
        contrasts.value_a as value_bare,
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
        contrasts.p_mcnemar,
        contrasts.mcnemar_reason,
        contrasts.p_holm,
        prefixed.gain as gain_prefixed,
        prefixed.ci_low as gain_prefixed_low,
        prefixed.ci_high as gain_prefixed_high,
        bare.gain as gain_bare,
        bare.ci_low as gain_bare_low,
        bare.ci_high as gain_bare_high,
        contrasts.protocol,
        contrasts.set_a as bare_set,
        contrasts.set_b as prefixed_set,
    from contrasts
    inner join budgets on contrasts.budget = budgets.budget
    {% for naming in ['prefixed', 'bare'] -%}
    left join gains as {{ naming }}
        on contrasts.benchmark = {{ naming }}.benchmark
        and contrasts.solver_id = {{ naming }}.solver_id
        and contrasts.ranker = {{ naming }}.ranker
        and contrasts.representation = {{ naming }}.representation
        and contrasts.condition = {{ naming }}.condition
        and contrasts.protocol = {{ naming }}.protocol
        and contrasts.metric = {{ naming }}.metric
        and contrasts.slice_by = {{ naming }}.slice_by
        and contrasts.slice = {{ naming }}.slice
        and {{ naming }}.naming = '{{ naming }}'
    {% endfor %}
)

select * from robustness
order by contrast_family, benchmark, model, solver_id, condition, representation, ranker, share
