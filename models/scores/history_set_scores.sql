with

sets as (

    select * from {{ ref('history_sets') }}

),

choices as (

    select * from {{ ref('history_choices') }}

),

scores as (

    select * from {{ ref('score_history_retrieval') }}

),

taken as (

    -- Each task by the setting that was chosen without its database, or all by one.
    select
        sets.*,
        choices.history_setting as taken_setting,
        choices.without_db_id,
    from sets
    inner join choices
        on sets.task_set = choices.task_set
        and sets.encoder = choices.encoder
        and sets.retriever = choices.retriever
        and sets.uses_questions = choices.uses_questions
        and sets.shots_asked = choices.shots_asked
        and (sets.choice = 'left_out') = (choices.without_db_id is not null)

),

scored as (

    select
        taken.task_set,
        taken.prediction_set,
        taken.choice,
        taken.shots_asked,
        scores.question_id,
        scores.db_id,
        scores.knowledge_type,
        scores.history_setting,
        scores.n_required,
        scores.n_retrieved,
        scores.n_covered,
        scores.n_shots,
    from taken
    inner join scores
        on taken.task_set = scores.task_set
        and taken.encoder = scores.encoder
        and taken.taken_setting = scores.history_setting
        and (taken.without_db_id is null or taken.without_db_id = scores.db_id)
    where
        scores.knowledge_type = 'all'
        -- By type where the number of shots was chosen too: there are many of the others.
        or taken.shots_asked = 'any'

)

select * from scored
