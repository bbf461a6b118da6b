{% set brackets = [
    'ex_namespace', 'ex_strict', 'ex', 'ex_set', 'ex_multiset', 'ex_permuted', 'ex_projection', 'ex_tolerant',
] -%}

with

cell_sets as (

    select * from {{ ref('cell_sets') }}
    where not is_planned

),

contexts as (

    select * from {{ ref('context_means') }}
    where slice_by in ('all', 'split')

),

intervals as (

    select * from {{ ref('metric_intervals') }}
    where
        protocol = 'budget_schema_bench'
        and slice_by in ('all', 'split')

),

predictions as (

    select * from {{ ref('execution_match') }}

),

questions as (

    select * from {{ ref('question_slices') }}
    where slice_by in ('all', 'split')

),

budgets as (

    select * from {{ ref('budgets') }}

),

primary_values as (

    select * from intervals
    where metric = 'ex_set_namespace'

),

other_values as (

    select
        prediction_set,
        benchmark,
        slice_by,
        slice,
        {% for metric in brackets + ['generation_rate', 'execution_rate'] -%}
        any_value(value) filter (where metric = '{{ metric }}') as {{ metric }},
        {% endfor %}
    from intervals
    group by prediction_set, benchmark, slice_by, slice

),

unfinished as (

    select
        predictions.prediction_set,
        predictions.benchmark,
        questions.slice_by,
        questions.slice,
        count(*) as n_unfinished,
    from predictions
    inner join questions
        on predictions.benchmark = questions.benchmark
        and predictions.question_id = questions.question_id
    where predictions.outcome in ('waiting', 'not_run')
    group by predictions.prediction_set, predictions.benchmark, questions.slice_by, questions.slice

),

swept as (

    select
        cell_sets.benchmark,
        cell_sets.model,
        cell_sets.ranker,
        cell_sets.representation,
        cell_sets.budget,
        budgets.share,
        cell_sets.condition,
        cell_sets.naming,
        contexts.slice as split,
        primary_values.value,
        primary_values.numerator,
        primary_values.denominator,
        primary_values.ci_low,
        primary_values.ci_high,
        primary_values.ci_low_clustered,
        primary_values.ci_high_clustered,
        primary_values.n_clusters,
        primary_values.is_few_clusters,
        primary_values.clustering_reason,
        {% for metric in brackets -%}
        other_values.{{ metric }},
        {% endfor -%}
        other_values.generation_rate,
        other_values.execution_rate,
        contexts.mean_table_recall,
        contexts.full_coverage,
        contexts.n_recalls,
        contexts.mean_context_tokens,
        contexts.mean_packed_tables,
        contexts.n_asked,
        contexts.n_contexts,
        contexts.n_infeasible,
        contexts.n_without_context,
        coalesce(unfinished.n_unfinished, 0) as n_unfinished,
        cell_sets.n_samples,
        cell_sets.is_derived as is_majority,
        cell_sets.solver_id,
        cell_sets.prediction_set,
    from cell_sets
    inner join budgets on cell_sets.budget = budgets.budget
    inner join contexts
        on cell_sets.prediction_set = contexts.prediction_set
        and cell_sets.benchmark = contexts.benchmark
    {% for values in ['primary_values', 'other_values', 'unfinished'] -%}
    left join {{ values }}
        on contexts.prediction_set = {{ values }}.prediction_set
        and contexts.benchmark = {{ values }}.benchmark
        and contexts.slice_by = {{ values }}.slice_by
        and contexts.slice = {{ values }}.slice
    {% endfor %}
)

select * from swept
order by
    benchmark, model, solver_id, is_majority, naming, condition, split, ranker, representation, share, prediction_set
