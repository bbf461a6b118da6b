with

metric_values as (

    select * from {{ ref('metric_values') }}
    where slice_by = 'all'

),

coverage as (

    select * from {{ ref('benchmark_coverage') }}

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

ranked as (

    select
        metric_values.benchmark,
        metric_values.protocol,
        metric_values.metric,
        rank() over (
            partition by metric_values.benchmark, metric_values.protocol, metric_values.metric
            order by metric_values.value desc
        ) as place,
        metric_values.prediction_set,
        metric_values.value,
        metric_values.numerator,
        metric_values.denominator,
        coverage.n_questions,
        coverage.n_questions_without_database,
        coverage.n_questions_with_failed_gold,
        progress.n_unfinished,
        progress.n_provisional,
    from metric_values
    inner join coverage on metric_values.benchmark = coverage.benchmark
    inner join progress
        on metric_values.prediction_set = progress.prediction_set
        and metric_values.benchmark = progress.benchmark

)

select * from ranked
order by benchmark, protocol, metric, place, prediction_set
