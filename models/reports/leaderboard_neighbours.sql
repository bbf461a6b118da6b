with

rates as (

    select * from {{ ref('metric_values') }}
    where slice_by = 'all'

),

families as (

    select * from {{ ref('contrasts') }}
    where set_a_glob = '*' and set_b_glob = '*' and slice_by = 'all' and cell_factor is null

),

contrasts as (

    select * from {{ ref('metric_contrasts') }}

),

ranking as (

    -- Only a family of all pairs compares every two neighbours; of several, the first by name.
    select contrasts.*
    from contrasts
    inner join families on contrasts.contrast_family = families.contrast_family
    qualify dense_rank() over (
        partition by contrasts.benchmark, contrasts.protocol, contrasts.metric
        order by contrasts.contrast_family
    ) = 1

),

ordered as (

    select
        *,
        rank() over (partition by benchmark, protocol, metric order by value desc) as place,
        lead(prediction_set) over (
            partition by benchmark, protocol, metric
            order by value desc, prediction_set asc
        ) as next_set,
    from rates

),

compared as (

    select
        ordered.benchmark,
        ordered.protocol,
        ordered.metric,
        ordered.place,
        ordered.prediction_set,
        ordered.next_set,
        ranking.contrast_family,
        ranking.set_a = ordered.prediction_set as is_forward,
        ranking.* exclude (benchmark, protocol, metric, contrast_family),
    from ordered
    left join ranking
        on ordered.benchmark = ranking.benchmark
        and ordered.protocol = ranking.protocol
        and ordered.metric = ranking.metric
        and least(ordered.prediction_set, ordered.next_set) = ranking.set_a
        and greatest(ordered.prediction_set, ordered.next_set) = ranking.set_b
    where ordered.next_set is not null

)

select
    benchmark,
    protocol,
    metric,
    place,
    prediction_set,
    next_set,
    contrast_family,
    if(is_forward, difference, -difference) as difference,
    if(is_forward, ci_low, -ci_high) as ci_low,
    if(is_forward, ci_high, -ci_low) as ci_high,
    if(is_forward, ci_low_clustered, -ci_high_clustered) as ci_low_clustered,
    if(is_forward, ci_high_clustered, -ci_low_clustered) as ci_high_clustered,
    n_questions,
    if(is_forward, n_only_a, n_only_b) as n_only_this,
    if(is_forward, n_only_b, n_only_a) as n_only_next,
    p_mcnemar,
    p_holm,
    p_holm < 0.05 as is_distinct,
    is_equivalent,
    smallest_detectable_difference,
from compared
order by benchmark, protocol, metric, place, prediction_set
