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
        protocols.protocol,
        scores.metric,
        predictions.question_id,
        predictions.sample,
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

)

select
    prediction_set,
    benchmark,
    protocol,
    metric,
    question_id,
    -- Sums of ratios differ in their last digits with the order they are made in.
    round(avg(value), 12) as numerator,
    1 as denominator,
    count(*) as n_samples,
from counted
where value is not null
group by prediction_set, benchmark, protocol, metric, question_id
