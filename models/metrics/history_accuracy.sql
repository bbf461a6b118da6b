with

runs as (

    select * from {{ ref('history_runs') }}
    where purpose = 'answer' and not is_planned

),

majorities as (

    select distinct
        from_prediction_set,
        prediction_set,
        benchmark,
    from {{ ref('majority_choices') }}

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

asked as (

    select distinct
        run_id,
        subject_id as question_id,
    from {{ ref('stg_history_requests') }}
    where purpose = 'answer'

),

scores as (

    select * from {{ ref('score_history_retrieval') }}
    where knowledge_type = 'all'

),

sets as (

    select
        *,
        false as is_majority,
    from runs

    union all

    -- Several answers to each question make a set of their own, in which the majority counts.
    select
        runs.* replace (majorities.prediction_set as prediction_set),
        true as is_majority,
    from runs
    inner join majorities
        on runs.prediction_set = majorities.from_prediction_set
        and runs.benchmark = majorities.benchmark

),

answering as (

    -- A setting may be named without what it does not have.
    select
        sets.*,
        encoders.encoder,
        settings.history_setting as known_setting,
    from sets
    left join encoders on sets.task_set = encoders.task_set
    left join settings
        on sets.task_set = settings.task_set
        and encoders.encoder = settings.encoder
        and sets.retriever = settings.retriever
        and sets.threshold is not distinct from settings.threshold
        and coalesce(sets.shots, 'dynamic') = settings.shots
        -- Labels read no question: with and without them the same items are brought.
        and (sets.uses_questions = settings.uses_questions or sets.retriever = 'gold')

),

shown as (

    -- Of the tasks that a set was asked, which may be some of all.
    select
        answering.run_id,
        count(*) as n_tasks,
        sum(scores.n_shots) as n_shots,
        sum(scores.n_required) as n_required,
        sum(scores.n_retrieved) as n_retrieved,
        sum(scores.n_covered) as n_covered,
    from answering
    inner join asked on answering.run_id = asked.run_id
    inner join scores
        on answering.task_set = scores.task_set
        and answering.encoder = scores.encoder
        and answering.known_setting = scores.history_setting
        and asked.question_id = scores.question_id
    where not answering.is_majority
    group by answering.run_id

),

answered as (

    select
        answering.prediction_set,
        answering.is_majority,
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
        round(shown.n_shots / shown.n_tasks, 12) as mean_shots,
        {{ item_rates('shown') }},
    from answering
    left join intervals as ex
        on answering.prediction_set = ex.prediction_set
        and answering.benchmark = ex.benchmark
        and ex.metric = 'ex'
    left join intervals as ex_set
        on answering.prediction_set = ex_set.prediction_set
        and answering.benchmark = ex_set.benchmark
        and ex_set.metric = 'ex_set'
    left join shown on answering.run_id = shown.run_id

)

select * from answered
