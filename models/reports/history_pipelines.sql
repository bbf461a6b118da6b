with

answers as (

    select * from {{ ref('history_accuracy') }}

),

pipelines as (

    select * from {{ ref('pipelines') }}

),

contrasts as (

    select * from {{ ref('metric_contrasts') }}
    where protocol = 'evalhouse' and metric = 'ex' and slice_by = 'all'

),

own as (

    -- What the pipeline would retrieve by itself, in the setting that its model answers best with: once for single
    -- answers, once for majorities.
    select
        answers.benchmark,
        answers.model,
        answers.pipeline,
        answers.is_majority,
        arg_max(answers.prediction_set, (answers.ex, answers.prediction_set)) as prediction_set,
    from answers
    inner join pipelines
        on answers.pipeline = pipelines.pipeline
        and answers.retriever = pipelines.retriever
    -- In a pair NULL would count as the highest.
    where answers.ex is not null
    group by answers.benchmark, answers.model, answers.pipeline, answers.is_majority

),

compared as (

    select
        answers.task_set,
        answers.model,
        answers.pipeline,
        pipelines.label as pipeline_label,
        answers.retriever,
        answers.history_setting,
        answers.encoder,
        answers.prediction_set,
        answers.is_majority,
        answers.n_questions,
        answers.ex,
        answers.ex_low,
        answers.ex_high,
        answers.ex_low_clustered,
        answers.ex_high_clustered,
        answers.ex_set,
        answers.retriever = pipelines.retriever as is_own_retriever,
        case when contrasts.set_a = answers.prediction_set then contrasts.difference else 0 - contrasts.difference end as gain,
        case when contrasts.set_a = answers.prediction_set then contrasts.ci_low else 0 - contrasts.ci_high end as gain_low,
        case when contrasts.set_a = answers.prediction_set then contrasts.ci_high else 0 - contrasts.ci_low end as gain_high,
        answers.precision,
        answers.recall,
        answers.f1,
    from answers
    left join pipelines on answers.pipeline = pipelines.pipeline
    left join own
        on answers.benchmark = own.benchmark
        and answers.model = own.model
        and answers.pipeline = own.pipeline
        and answers.is_majority = own.is_majority
    left join contrasts
        on answers.benchmark = contrasts.benchmark
        and contrasts.set_a = least(answers.prediction_set, own.prediction_set)
        and contrasts.set_b = greatest(answers.prediction_set, own.prediction_set)
        and contrasts.contrast_family = 'every pair'

)

select * from compared
order by task_set, model, pipeline, is_own_retriever desc, ex desc nulls last, prediction_set
