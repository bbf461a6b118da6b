with

choices as (

    select * from {{ ref('history_choices') }}

),

settings as (

    select * from {{ ref('history_settings') }}

),

adjustable as (

    -- With one setting there is nothing to choose, and what reads the labels needs no choice.
    select
        task_set,
        encoder,
        retriever,
        uses_questions,
    from settings
    where retriever <> 'gold'
    group by task_set, encoder, retriever, uses_questions
    having count(*) > 1

),

best as (

    select
        choices.task_set,
        concat(choices.history_setting, '@', choices.encoder) as prediction_set,
        'best' as choice,
        choices.encoder,
        choices.retriever,
        choices.uses_questions,
        choices.shots_asked,
        choices.history_setting,
    from choices
    where
        choices.without_db_id is null
        and choices.shots_asked = 'any'

),

left_out as (

    select distinct
        choices.task_set,
        concat(
            choices.retriever,
            '/lodo',
            if(choices.shots_asked = 'any', '', '-' || choices.shots_asked),
            if(choices.uses_questions, '', '-unasked'),
            '@',
            choices.encoder
        ) as prediction_set,
        'left_out' as choice,
        choices.encoder,
        choices.retriever,
        choices.uses_questions,
        choices.shots_asked,
        null::varchar as history_setting,
    from choices
    inner join adjustable
        on choices.task_set = adjustable.task_set
        and choices.encoder = adjustable.encoder
        and choices.retriever = adjustable.retriever
        and choices.uses_questions = adjustable.uses_questions
    where choices.without_db_id is not null

),

sets as (

    select * from best

    union all

    select * from left_out

)

select * from sets
