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

history_scores as (

    select * from {{ ref('history_set_scores') }}
    where knowledge_type = 'all'

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

),

of_predictions as (

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

),

measured_histories as (

    select
        prediction_set,
        task_set,
        question_id,
        shots_asked,
        unnest([
            { 'metric': 'history_precision', 'numerator': n_covered, 'denominator': n_retrieved },
            { 'metric': 'history_recall', 'numerator': n_covered, 'denominator': n_required },
            { 'metric': 'history_f1', 'numerator': 2 * n_covered, 'denominator': n_retrieved + n_required },
        ]) as sums,
    from history_scores

),

of_histories as (

    -- Over all tasks in one: an item weighs one, wherever it is.
    select
        prediction_set,
        task_set,
        question_id,
        sums.metric as metric,
        sums.numerator::double as numerator,
        sums.denominator as denominator,
    from measured_histories

    union all

    -- Task by task: a task weighs one. Where nothing was retrieved there is no precision.
    select
        prediction_set,
        task_set,
        question_id,
        sums.metric || '_macro' as metric,
        round(sums.numerator / sums.denominator, 12) as numerator,
        1 as denominator,
    from measured_histories
    where
        sums.denominator > 0
        and shots_asked = 'any'

),

everything as (

    select * from of_predictions

    union all

    select
        of_histories.prediction_set,
        of_histories.task_set as benchmark,
        protocols.protocol,
        of_histories.metric,
        of_histories.question_id,
        of_histories.numerator,
        of_histories.denominator,
        1 as n_samples,
        null as sample_variance,
    from of_histories
    inner join protocol_metrics on of_histories.metric = protocol_metrics.metric
    inner join protocols
        on protocol_metrics.protocol = protocols.protocol
        and protocols.is_for_histories

)

select * from everything
