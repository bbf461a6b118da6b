with

scores as (

    select * from {{ ref('prediction_scores') }}

),

predictions as (

    select * from {{ ref('execution_match') }}

),

protocols as (

    select * from {{ ref('protocols') }}

),

protocol_metrics as (

    select * from {{ ref('protocol_metrics') }}

),

counted as (

    select
        predictions.prediction_set,
        predictions.benchmark,
        predictions.db_id,
        predictions.difficulty,
        predictions.spider_hardness,
        protocols.protocol,
        scores.metric,
        case when protocols.keeps_failed_golds and predictions.outcome = 'gold_failed' then 0.0 else scores.value end
            as value,
    from predictions
    inner join scores on predictions.prediction_id = scores.prediction_id
    inner join protocol_metrics on scores.metric = protocol_metrics.metric
    inner join protocols on protocol_metrics.protocol = protocols.protocol
    where
        protocols.denominator = 'all'
        or (protocols.denominator = 'generated' and predictions.is_generated)
        or (protocols.denominator = 'executed' and predictions.is_executed)

),

sliced as (

    select
        prediction_set,
        benchmark,
        protocol,
        metric,
        case
            when grouping(db_id) = 0 then 'database'
            when grouping(difficulty) = 0 then 'difficulty'
            when grouping(spider_hardness) = 0 then 'spider_hardness'
            else 'all'
        end as slice_by,
        case
            when grouping(db_id) = 0 then db_id
            when grouping(difficulty) = 0 then coalesce(difficulty, 'not stated')
            when grouping(spider_hardness) = 0 then coalesce(spider_hardness, 'not graded')
            else 'all'
        end as slice,
        sum(value) as numerator,
        count(value) as denominator,
    from counted
    group by grouping sets (
        (prediction_set, benchmark, protocol, metric),
        (prediction_set, benchmark, protocol, metric, db_id),
        (prediction_set, benchmark, protocol, metric, difficulty),
        (prediction_set, benchmark, protocol, metric, spider_hardness)
    )

)

select
    prediction_set,
    benchmark,
    protocol,
    metric,
    slice_by,
    slice,
    -- Sums of ratios differ in their last digits with the order they are made in.
    round(numerator / denominator, 12) as value,
    round(numerator, 9) as numerator,
    denominator,
from sliced
where denominator > 0
