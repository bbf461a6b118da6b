with

found as (

    select * from {{ ref('history_retrieval') }}
    where retriever in ('q_c', 'q', 'c', 'none', 'gold')

),

answers as (

    select * from {{ ref('history_accuracy') }}

),

levels as (

    select
        found.task_set,
        found.encoder,
        case found.retriever when 'q_c' then 'Q+C' when 'q' then 'Q' when 'c' then 'C' else found.retriever end
            as level,
        found.uses_questions,
        found.history_setting,
        found.is_best,
        answers.pipeline,
        answers.model,
        answers.prediction_set,
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
    where found.is_best or answers.prediction_set is not null

)

select * from levels
order by
    task_set,
    encoder,
    pipeline,
    model,
    uses_questions desc,
    list_position(['Q+C', 'Q', 'C', 'none', 'gold'], level),
    is_best desc,
    history_setting
