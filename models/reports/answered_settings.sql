with

found as (

    select * from {{ ref('history_retrieval') }}

),

answers as (

    select * from {{ ref('history_accuracy') }}

),

answered as (

    select
        found.task_set,
        found.encoder,
        found.retriever,
        found.level,
        found.uses_questions,
        found.threshold,
        found.shots,
        found.history_setting,
        found.is_best,
        answers.pipeline,
        answers.model,
        answers.prediction_set,
        found.mean_shots,
        answers.ex,
        answers.ex_low,
        answers.ex_high,
        answers.ex_set,
        found.precision,
        found.precision_low,
        found.precision_high,
        found.recall,
        found.recall_low,
        found.recall_high,
        found.f1,
        found.f1_low,
        found.f1_high,
    from found
    left join answers
        on found.task_set = answers.task_set
        and found.encoder = answers.encoder
        and found.history_setting = answers.history_setting

)

select * from answered
order by task_set, encoder, history_setting, pipeline, model, prediction_set
