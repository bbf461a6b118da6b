with

settings as (

    select * from {{ ref('history_settings') }}

),

retrievers as (

    select * from {{ ref('retrievers') }}

),

sets as (

    select * from {{ ref('history_sets') }}
    where choice = 'best'

),

rates as (

    select * from {{ ref('history_rates') }}
    where knowledge_type = 'all'

),

found as (

    select
        settings.task_set,
        settings.encoder,
        settings.retriever,
        retrievers.level,
        retrievers.is_paper,
        settings.uses_questions,
        settings.threshold,
        settings.shots,
        settings.history_setting,
        sets.prediction_set is not null as is_best,
        rates.* exclude (task_set, prediction_set, knowledge_type),
    from settings
    inner join retrievers on settings.retriever = retrievers.retriever
    inner join rates
        on settings.task_set = rates.task_set
        and concat(settings.history_setting, '@', settings.encoder) = rates.prediction_set
    left join sets
        on rates.task_set = sets.task_set
        and rates.prediction_set = sets.prediction_set

)

select * from found
order by task_set, encoder, f1 desc nulls last, history_setting
