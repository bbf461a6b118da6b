with

found as (

    select * from {{ ref('history_retrieval') }}

),

best as (

    select * from found
    where is_best and level <> 'none'

),

answers as (

    select * from {{ ref('history_accuracy') }}

),

varied as (

    -- The threshold stays the best one, or is what somebody answered with.
    select
        found.task_set,
        found.encoder,
        found.retriever,
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
    from best
    inner join found
        on best.task_set = found.task_set
        and best.encoder = found.encoder
        and best.retriever = found.retriever
        and best.uses_questions = found.uses_questions
    left join answers
        on found.task_set = answers.task_set
        and found.encoder = answers.encoder
        and found.history_setting = answers.history_setting
    where found.threshold is not distinct from best.threshold or answers.prediction_set is not null

)

select * from varied
order by
    task_set, encoder, retriever, uses_questions desc, pipeline, model, threshold, try_cast(shots as integer) nulls last
