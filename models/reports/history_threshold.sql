with

settings as (

    select * from {{ ref('answered_settings') }}
    where threshold is not null

),

varied as (

    -- The number of shots stays the best one, or is what somebody answered with.
    {{ settings_around_best('settings', 'shots') }}

)

select * from varied
order by
    task_set, encoder, retriever, uses_questions desc, pipeline, model, try_cast(shots as integer) nulls last, threshold,
    prediction_set
