with

runs as (

    select * from {{ ref('history_runs') }}
    where purpose = 'answer' and not is_planned

),

encoders as (

    select * from {{ ref('history_encoders') }}

),

settings as (

    select * from {{ ref('history_settings') }}

),

intervals as (

    select * from {{ ref('metric_intervals') }}
    where protocol = 'evalhouse' and slice_by = 'all'

),

rates as (

    select * from {{ ref('history_rates') }}
    where knowledge_type = 'all'

),

answering as (

    -- A setting may be named without what it does not have.
    select
        runs.*,
        encoders.encoder,
        settings.history_setting as known_setting,
    from runs
    left join encoders on runs.task_set = encoders.task_set
    left join settings
        on runs.task_set = settings.task_set
        and encoders.encoder = settings.encoder
        and runs.retriever = settings.retriever
        and runs.threshold is not distinct from settings.threshold
        and coalesce(runs.shots, 'dynamic') = settings.shots
        and runs.uses_questions = settings.uses_questions

),

answered as (

    select
        answering.prediction_set,
        answering.benchmark,
        answering.task_set,
        answering.model,
        answering.pipeline,
        answering.retriever,
        answering.threshold,
        answering.shots,
        answering.uses_questions,
        answering.encoder,
        coalesce(answering.known_setting, answering.history_setting) as history_setting,
        ex.denominator as n_questions,
        ex.value as ex,
        ex.ci_low as ex_low,
        ex.ci_high as ex_high,
        ex.ci_low_clustered as ex_low_clustered,
        ex.ci_high_clustered as ex_high_clustered,
        ex_set.value as ex_set,
        ex_set.ci_low as ex_set_low,
        ex_set.ci_high as ex_set_high,
        rates.mean_shots,
        rates.precision,
        rates.recall,
        rates.f1,
    from answering
    left join intervals as ex
        on answering.prediction_set = ex.prediction_set
        and answering.benchmark = ex.benchmark
        and ex.metric = 'ex'
    left join intervals as ex_set
        on answering.prediction_set = ex_set.prediction_set
        and answering.benchmark = ex_set.benchmark
        and ex_set.metric = 'ex_set'
    left join rates
        on answering.task_set = rates.task_set
        and concat(answering.known_setting, '@', answering.encoder) = rates.prediction_set

)

select * from answered
