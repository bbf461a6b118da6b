with

settings as (

    select * from {{ ref('answered_settings') }}
    where is_best or prediction_set is not null

),

retrievers as (

    select * from {{ ref('retrievers') }}

),

named as (

    -- The paper's Q+C is its whole retriever, model and all: what a model chooses is of the level that it chooses from.
    select
        settings.*,
        coalesce(retrievers.reranks, settings.retriever) as searched_by,
        retrievers.reranks is not null as is_reranked,
    from settings
    inner join retrievers on settings.retriever = retrievers.retriever

),

levels as (

    select
        task_set,
        encoder,
        case searched_by when 'q_c' then 'Q+C' when 'q' then 'Q' when 'c' then 'C' else searched_by end as level,
        is_reranked,
        * exclude (task_set, encoder, level, is_reranked, searched_by, retriever, threshold, shots, mean_shots),
    from named
    where searched_by in ('q_c', 'q', 'c', 'none', 'gold')

)

select * from levels
order by
    task_set,
    encoder,
    pipeline,
    model,
    uses_questions desc,
    list_position(['Q+C', 'Q', 'C', 'none', 'gold'], level),
    is_reranked,
    is_best desc,
    history_setting,
    prediction_set
