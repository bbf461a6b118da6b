with

rates as (

    select * from {{ ref('metric_intervals') }}
    where slice_by = 'all'

),

coverage as (

    select * from {{ ref('benchmark_coverage') }}

),

neighbours as (

    select * from {{ ref('leaderboard_neighbours') }}

),

families as (

    select * from {{ ref('contrasts') }}
    where set_a_glob = '*' and set_b_glob = '*' and slice_by = 'all' and cell_factor is null

),

progress as (

    select
        prediction_set,
        benchmark,
        count(*) filter (where outcome in ('waiting', 'not_run')) as n_unfinished,
        count(*) filter (where is_provisional) as n_provisional,
    from {{ ref('execution_match') }}
    group by prediction_set, benchmark

),

told_apart as (

    -- Every pair that is told apart, once with the better set first.
    select distinct
        contrasts.benchmark,
        contrasts.protocol,
        contrasts.metric,
        if(contrasts.difference > 0, contrasts.set_a, contrasts.set_b) as better_set,
        if(contrasts.difference > 0, contrasts.set_b, contrasts.set_a) as worse_set,
    from {{ ref('metric_contrasts') }} as contrasts
    inner join families on contrasts.contrast_family = families.contrast_family
    where contrasts.p_holm < 0.05

),

n_better as (

    select
        benchmark,
        protocol,
        metric,
        worse_set as prediction_set,
        count(*) as n_sets,
    from told_apart
    group by benchmark, protocol, metric, worse_set

),

n_worse as (

    select
        benchmark,
        protocol,
        metric,
        better_set as prediction_set,
        count(*) as n_sets,
    from told_apart
    group by benchmark, protocol, metric, better_set

),

ranked as (

    select
        rates.benchmark,
        rates.protocol,
        rates.metric,
        rank() over (
            partition by rates.benchmark, rates.protocol, rates.metric
            order by rates.value desc
        ) as place,
        rates.prediction_set,
        rates.value,
        rates.numerator,
        rates.denominator,
        rates.ci_low,
        rates.ci_high,
        rates.ci_low_clustered,
        rates.ci_high_clustered,
        rates.wilson_low,
        rates.wilson_high,
        rates.n_clusters,
        rates.clustering_reason,
        neighbours.difference as difference_to_next,
        neighbours.p_holm as p_holm_to_next,
        neighbours.is_distinct as is_distinct_from_next,
        case when ranking.metric is not null then 1 + coalesce(n_better.n_sets, 0) end as best_place,
        case when ranking.metric is not null then
            count(*) over (partition by rates.benchmark, rates.protocol, rates.metric) - coalesce(n_worse.n_sets, 0)
        end as worst_place,
        coverage.n_questions,
        coverage.n_questions_without_database,
        coverage.n_questions_with_failed_gold,
        coverage.n_questions_with_drifted_gold,
        progress.n_unfinished,
        progress.n_provisional,
    from rates
    inner join coverage on rates.benchmark = coverage.benchmark
    inner join progress
        on rates.prediction_set = progress.prediction_set
        and rates.benchmark = progress.benchmark
    left join neighbours
        on rates.benchmark = neighbours.benchmark
        and rates.protocol = neighbours.protocol
        and rates.metric = neighbours.metric
        and rates.prediction_set = neighbours.prediction_set
    left join (
        select distinct
            benchmark,
            protocol,
            metric,
        from neighbours
        where p_holm is not null
    ) as ranking
        on rates.benchmark = ranking.benchmark
        and rates.protocol = ranking.protocol
        and rates.metric = ranking.metric
    left join n_better
        on rates.benchmark = n_better.benchmark
        and rates.protocol = n_better.protocol
        and rates.metric = n_better.metric
        and rates.prediction_set = n_better.prediction_set
    left join n_worse
        on rates.benchmark = n_worse.benchmark
        and rates.protocol = n_worse.protocol
        and rates.metric = n_worse.metric
        and rates.prediction_set = n_worse.prediction_set

)

select * from ranked
order by benchmark, protocol, metric, place, prediction_set
