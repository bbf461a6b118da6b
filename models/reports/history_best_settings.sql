with

choices as (

    select * from {{ ref('history_choices') }}
    where shots_asked = 'any'

),

scores as (

    select * from {{ ref('score_history_retrieval') }}
    where knowledge_type = 'all'

),

judged as (

    select
        choices.task_set,
        choices.encoder,
        choices.retriever,
        choices.uses_questions,
        choices.without_db_id,
        choices.history_setting,
        choices.threshold,
        choices.shots,
        choices.f1 as f1_chosen_by,
        count(*) as n_tasks,
        sum(scores.n_required)::bigint as n_required,
        sum(scores.n_retrieved)::bigint as n_retrieved,
        sum(scores.n_covered)::bigint as n_covered,
    from choices
    inner join scores
        on choices.task_set = scores.task_set
        and choices.encoder = scores.encoder
        and choices.history_setting = scores.history_setting
        and (choices.without_db_id is null or choices.without_db_id = scores.db_id)
    group by all

),

measured as (

    select
        *,
        {{ item_rates('judged') }},
    from judged

)

select * from measured
order by task_set, encoder, retriever, uses_questions desc, without_db_id nulls first
