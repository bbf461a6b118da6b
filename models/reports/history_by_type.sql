with

sets as (

    select * from {{ ref('history_sets') }}
    where shots_asked = 'any'

),

rates as (

    select * from {{ ref('history_rates') }}
    where knowledge_type <> 'all'

),

found as (

    select
        sets.task_set,
        sets.encoder,
        sets.retriever,
        sets.uses_questions,
        sets.choice,
        sets.history_setting,
        rates.* exclude (task_set),
    from sets
    inner join rates
        on sets.task_set = rates.task_set
        and sets.prediction_set = rates.prediction_set

)

select * from found
order by task_set, encoder, retriever, uses_questions desc, choice, f1 desc nulls last, knowledge_type
