{#- Normal quantiles of 97.5% and 80%: two-sided 5%, power 80%. -#}
{% set detectable_standard_errors = 1.959963984540054 + 0.8416212335729143 -%}

with

pairs as (

    select * from {{ ref('contrast_pairs') }}

),

metrics as (

    select * from {{ ref('metrics') }}

),

measured as (

    select
        pairs.contrast_family,
        pairs.family_scope,
        pairs.benchmark,
        pairs.protocol,
        pairs.metric,
        pairs.set_a,
        pairs.set_b,
        pairs.difference,
        pairs.equivalence_margin,
        pairs.n_questions,
        pairs.n_only_a,
        pairs.n_only_b,
        pairs.standard_deviation / sqrt(pairs.n_questions) as standard_error,
        case
            when metrics.unit <> 'share' then 'not_a_share'
            when not pairs.is_binary then 'several_samples'
        end as mcnemar_reason,
    from pairs
    inner join metrics on pairs.metric = metrics.metric

),

tailed as (

    -- The harder of the two one-sided tests: the difference against the nearer end of the margin.
    select
        *,
        {{ student_as_normal(
            '((equivalence_margin - abs(difference)) / nullif(standard_error, 0))', '(n_questions - 1)'
        ) }} as equivalence_z,
        case when mcnemar_reason is null then {{ mcnemar_p_value('n_only_a', 'n_only_b') }} end as p_mcnemar,
    from measured

),

tested as (

    select
        *,
        case
            when standard_error is null then null
            when standard_error > 0 then {{ normal_upper_tail('equivalence_z') }}
            -- Every question has the same difference: nothing is left to chance.
            else if(abs(difference) < equivalence_margin, 0.0, 1.0)
        end as p_equivalence,
        {{ detectable_standard_errors }} * standard_error as smallest_detectable_difference,
        row_number() over family_by_p_value as p_value_number,
        count(p_mcnemar) over (partition by contrast_family, family_scope, benchmark) as n_p_values,
    from tailed
    window
        family_by_p_value as (
            partition by contrast_family, family_scope, benchmark
            order by p_mcnemar asc nulls last, set_a asc, set_b asc
        )

),

corrected as (

    select
        *,
        {{ holm_p_value(
            'p_mcnemar', 'p_value_number', 'n_p_values', 'contrast_family, family_scope, benchmark'
        ) }} as p_holm,
    from tested

)

select
    contrast_family,
    family_scope,
    benchmark,
    protocol,
    metric,
    set_a,
    set_b,
    p_mcnemar,
    mcnemar_reason,
    p_holm,
    p_equivalence,
    p_equivalence < 0.05 as is_equivalent,
    smallest_detectable_difference,
from corrected
