with

settings as (

    select * from {{ ref('answered_settings') }}
    where level <> 'none'

),

varied as (

    -- The threshold stays the best one, or is what somebody answered with.
    {{ settings_around_best('settings', 'threshold') }}

)

select * from varied
order by
    task_set, encoder, retriever, uses_questions desc, pipeline, model, threshold, try_cast(shots as integer) nulls last,
    prediction_set
