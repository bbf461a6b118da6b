with

rates as (

    select * from {{ ref('metric_slices') }}

),

intervals as (

    select * from {{ ref('bootstrap_intervals') }}

),

metrics as (

    select * from {{ ref('metrics') }}

)

select
    rates.prediction_set,
    rates.benchmark,
    rates.protocol,
    rates.metric,
    rates.slice_by,
    rates.slice,
    rates.value,
    rates.numerator,
    rates.denominator,
    -- Items of one question are no draws of their own.
    case when metrics.unit <> 'ratio' then {{ wilson_bound('rates.value', 'rates.denominator', -1) }} end
        as wilson_low,
    case when metrics.unit <> 'ratio' then {{ wilson_bound('rates.value', 'rates.denominator', 1) }} end
        as wilson_high,
    by_question.ci_low,
    by_question.ci_high,
    by_question.n_replicates,
    by_database.ci_low as ci_low_clustered,
    by_database.ci_high as ci_high_clustered,
    rates.n_clusters,
    rates.n_clusters between 10 and 40 as is_few_clusters,
    case when rates.n_clusters < 10 then 'fewer than 10 databases' end as clustering_reason,
from rates
inner join metrics on rates.metric = metrics.metric
left join intervals as by_question on rates.question_ratio_id = by_question.ratio_id
left join intervals as by_database on rates.database_ratio_id = by_database.ratio_id
