{% set factors = ['ranker', 'representation', 'budget', 'condition', 'naming'] -%}

with

contrasts as (

    select * from {{ ref('metric_contrasts') }}

),

families as (

    select * from {{ ref('contrasts') }}
    where cell_factor is not null

),

pairs as (

    select * from {{ ref('contrast_pairs') }}

),

rates as (

    select * from {{ ref('metric_slices') }}

),

cell_sets as (

    select * from {{ ref('cell_sets') }}
    where not is_derived

),

asked as (

    select * from {{ ref('cell_questions') }}
    where not is_planned

),

questions as (

    select * from {{ ref('question_slices') }}

),

unpaired as (

    select * from {{ ref('unpaired_questions') }}

),

left_out as (

    select
        asked.prediction_set,
        asked.benchmark,
        questions.slice_by,
        questions.slice,
        list(asked.question_id) as question_ids,
    from asked
    inner join unpaired
        on asked.prediction_set = unpaired.prediction_set
        and asked.benchmark = unpaired.benchmark
        and asked.question_id = unpaired.question_id
    inner join questions
        on asked.benchmark = questions.benchmark
        and asked.question_id = questions.question_id
    group by asked.prediction_set, asked.benchmark, questions.slice_by, questions.slice

),

placed as (

    select
        contrasts.*,
        families.cell_factor,
        cells_a.model,
        cells_a.solver_id,
        {% for factor in factors -%}
        case when families.cell_factor <> '{{ factor }}' then cells_a.{{ factor }} end as {{ factor }},
        {% endfor -%}
        case families.cell_factor
            {% for factor in factors -%}
            when '{{ factor }}' then cells_a.{{ factor }}
            {% endfor -%}
        end as level_a,
        case families.cell_factor
            {% for factor in factors -%}
            when '{{ factor }}' then cells_b.{{ factor }}
            {% endfor -%}
        end as level_b,
        -- The lists hold the same questions in the same places: 1 in the last stands for one that is compared.
        round(list_dot_product(rates_a.numerators, pairs.denominators) / pairs.n_questions, 12) as value_a,
        round(list_dot_product(rates_b.numerators, pairs.denominators) / pairs.n_questions, 12) as value_b,
        len(list_distinct(
            coalesce(left_out_a.question_ids, []) || coalesce(left_out_b.question_ids, [])
        )) as n_infeasible,
    from contrasts
    inner join families on contrasts.contrast_family = families.contrast_family
    inner join pairs
        on contrasts.contrast_family = pairs.contrast_family
        and contrasts.benchmark = pairs.benchmark
        and contrasts.set_a = pairs.set_a
        and contrasts.set_b = pairs.set_b
    inner join cell_sets as cells_a
        on contrasts.set_a = cells_a.prediction_set
        and contrasts.benchmark = cells_a.benchmark
    inner join cell_sets as cells_b
        on contrasts.set_b = cells_b.prediction_set
        and contrasts.benchmark = cells_b.benchmark
    inner join rates as rates_a
        on contrasts.set_a = rates_a.prediction_set
        and contrasts.benchmark = rates_a.benchmark
        and contrasts.protocol = rates_a.protocol
        and contrasts.metric = rates_a.metric
        and contrasts.slice_by = rates_a.slice_by
        and contrasts.slice = rates_a.slice
    inner join rates as rates_b
        on contrasts.set_b = rates_b.prediction_set
        and contrasts.benchmark = rates_b.benchmark
        and contrasts.protocol = rates_b.protocol
        and contrasts.metric = rates_b.metric
        and contrasts.slice_by = rates_b.slice_by
        and contrasts.slice = rates_b.slice
    left join left_out as left_out_a
        on contrasts.set_a = left_out_a.prediction_set
        and contrasts.benchmark = left_out_a.benchmark
        and contrasts.slice_by = left_out_a.slice_by
        and contrasts.slice = left_out_a.slice
    left join left_out as left_out_b
        on contrasts.set_b = left_out_b.prediction_set
        and contrasts.benchmark = left_out_b.benchmark
        and contrasts.slice_by = left_out_b.slice_by
        and contrasts.slice = left_out_b.slice

)

select
    contrast_family,
    family_scope,
    cell_factor,
    benchmark,
    model,
    solver_id,
    {% for factor in factors -%}
    {{ factor }},
    {% endfor -%}
    level_a,
    level_b,
    set_a,
    set_b,
    protocol,
    metric,
    slice_by,
    slice,
    value_a,
    value_b,
    difference,
    ci_low,
    ci_high,
    ci_low_clustered,
    ci_high_clustered,
    n_clusters,
    is_few_clusters,
    clustering_reason,
    n_questions,
    n_infeasible,
    n_both_right,
    n_only_a,
    n_only_b,
    p_mcnemar,
    mcnemar_reason,
    p_holm,
    equivalence_margin,
    ci90_low,
    ci90_high,
    ci90_low_clustered,
    ci90_high_clustered,
    is_within_margin,
    is_equivalent,
    p_equivalence,
    smallest_detectable_difference,
from placed
