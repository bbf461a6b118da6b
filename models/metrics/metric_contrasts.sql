with

pairs as (

    select * from {{ ref('contrast_pairs') }}

),

tests as (

    select * from {{ ref('contrast_tests') }}

),

intervals as (

    select * from {{ ref('bootstrap_intervals') }}

)

select
    pairs.set_a,
    pairs.set_b,
    pairs.benchmark,
    pairs.protocol,
    pairs.metric,
    pairs.contrast_family,
    pairs.family_scope,
    pairs.slice_by,
    pairs.slice,
    pairs.difference,
    by_question.ci_low,
    by_question.ci_high,
    by_database.ci_low as ci_low_clustered,
    by_database.ci_high as ci_high_clustered,
    pairs.n_clusters,
    pairs.n_clusters between 10 and 40 as is_few_clusters,
    case when pairs.n_clusters < 10 then 'fewer than 10 databases' end as clustering_reason,
    pairs.n_questions,
    case when tests.mcnemar_reason is null then pairs.n_both_right end as n_both_right,
    case when tests.mcnemar_reason is null then pairs.n_only_a end as n_only_a,
    case when tests.mcnemar_reason is null then pairs.n_only_b end as n_only_b,
    tests.p_mcnemar,
    tests.mcnemar_reason,
    tests.p_holm,
    pairs.equivalence_margin,
    tests.is_equivalent,
    tests.p_equivalence,
    by_question.ci90_low,
    by_question.ci90_high,
    by_database.ci90_low as ci90_low_clustered,
    by_database.ci90_high as ci90_high_clustered,
    -- By every bootstrap that there is.
    greatest(abs(by_question.ci90_low), abs(by_question.ci90_high)) < pairs.equivalence_margin
    and coalesce(
        greatest(abs(by_database.ci90_low), abs(by_database.ci90_high)) < pairs.equivalence_margin, true
    ) as is_within_margin,
    tests.smallest_detectable_difference,
from pairs
inner join tests
    on pairs.contrast_family = tests.contrast_family
    and pairs.benchmark = tests.benchmark
    and pairs.set_a = tests.set_a
    and pairs.set_b = tests.set_b
left join intervals as by_question on pairs.question_ratio_id = by_question.ratio_id
left join intervals as by_database on pairs.database_ratio_id = by_database.ratio_id
