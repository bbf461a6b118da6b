{% set family = 'contrast_family, benchmark_a, dialect_a, benchmark_b, dialect_b' -%}

with

pairs as (

    select * from {{ ref('dialect_pairs') }}

),

families as (

    select * from {{ ref('contrasts') }}

),

metrics as (

    select * from {{ ref('metrics') }}

),

intervals as (

    select * from {{ ref('bootstrap_intervals') }}

),

tested as (

    select
        pairs.*,
        families.protocol,
        families.metric,
        case
            when metrics.unit <> 'share' then 'not_a_share'
            when not pairs.is_binary then 'several_samples'
        end as mcnemar_reason,
        case when mcnemar_reason is null then {{ mcnemar_p_value('pairs.n_only_a', 'pairs.n_only_b') }} end as p_mcnemar,
    from pairs
    inner join families on pairs.contrast_family = families.contrast_family
    inner join metrics on families.metric = metrics.metric

),

ranked as (

    select
        *,
        row_number() over (
            partition by {{ family }}
            order by p_mcnemar asc nulls last, prediction_set asc
        ) as p_value_number,
        count(p_mcnemar) over (partition by {{ family }}) as n_p_values,
    from tested

),

corrected as (

    select
        *,
        {{ holm_p_value('p_mcnemar', 'p_value_number', 'n_p_values', family) }} as p_holm,
    from ranked

)

select
    corrected.contrast_family,
    corrected.prediction_set,
    corrected.benchmark_a,
    corrected.dialect_a,
    corrected.benchmark_b,
    corrected.dialect_b,
    corrected.protocol,
    corrected.metric,
    corrected.slice_by,
    corrected.slice,
    round(corrected.value_a, 12) as value_a,
    round(corrected.value_b, 12) as value_b,
    round(corrected.value_a - corrected.value_b, 12) as difference,
    by_question.ci_low,
    by_question.ci_high,
    by_database.ci_low as ci_low_clustered,
    by_database.ci_high as ci_high_clustered,
    corrected.n_clusters,
    corrected.n_clusters between 10 and 40 as is_few_clusters,
    case when corrected.n_clusters < 10 then 'fewer than 10 databases' end as clustering_reason,
    corrected.n_questions,
    case when corrected.mcnemar_reason is null then corrected.n_both_right end as n_both_right,
    case when corrected.mcnemar_reason is null then corrected.n_only_a end as n_only_a,
    case when corrected.mcnemar_reason is null then corrected.n_only_b end as n_only_b,
    corrected.p_mcnemar,
    corrected.mcnemar_reason,
    corrected.p_holm,
from corrected
left join intervals as by_question on corrected.question_ratio_id = by_question.ratio_id
left join intervals as by_database on corrected.database_ratio_id = by_database.ratio_id
