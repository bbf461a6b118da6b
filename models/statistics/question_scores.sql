with

scores as (

    select * from {{ ref('prediction_scores') }}

),

predictions as (

    select * from {{ ref('execution_match') }}

),

cell_sets as (

    select * from {{ ref('cell_sets') }}

),

protocols as (

    select * from {{ ref('protocols') }}

),

protocol_metrics as (

    select * from {{ ref('protocol_metrics') }}

),

placed as (

    select
        predictions.prediction_id,
        predictions.prediction_set,
        predictions.benchmark,
        predictions.question_id,
        predictions.outcome,
        predictions.is_generated,
        predictions.is_executed,
        cell_sets.prediction_set is not null as is_in_cell,
    from predictions
    left join cell_sets
        on predictions.prediction_set = cell_sets.prediction_set
        and predictions.benchmark = cell_sets.benchmark

),

counted as (

    -- A study has hundreds of sets: they count under protocols of their own, and stand on no leaderboard of others.
    select
        placed.prediction_set,
        placed.benchmark,
        protocols.protocol,
        scores.metric,
        placed.question_id,
        case when protocols.keeps_failed_golds and placed.outcome = 'gold_failed' then 0.0 else scores.value end
            as value,
    from placed
    inner join scores on placed.prediction_id = scores.prediction_id
    inner join protocol_metrics on scores.metric = protocol_metrics.metric
    inner join protocols
        on protocol_metrics.protocol = protocols.protocol
        and placed.is_in_cell = protocols.is_for_cells
    where
        protocols.denominator = 'all'
        or (protocols.denominator = 'generated' and placed.is_generated)
        or (protocols.denominator = 'executed' and placed.is_executed)

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
    round(var_samp(value), 12) as sample_variance,
from counted
where value is not null
group by prediction_set, benchmark, protocol, metric, question_id
