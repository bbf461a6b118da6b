with

settings as (

    select * from {{ ref('answered_settings') }}
    where threshold is not null

),

best as (

    select * from settings
    where is_best

),

varied as (

    -- The number of shots stays the best one, or is what somebody answered with.
    select settings.* exclude (level)
    from settings
    semi join best
        on settings.task_set = best.task_set
        and settings.encoder = best.encoder
        and settings.retriever = best.retriever
        and settings.uses_questions = best.uses_questions
        and (settings.shots is not distinct from best.shots or settings.prediction_set is not null)

)

select * from varied
order by
    task_set, encoder, retriever, uses_questions desc, pipeline, model, try_cast(shots as integer) nulls last, threshold,
    prediction_set
