with

scores as (

    select * from {{ ref('score_history_retrieval') }}
    where knowledge_type = 'all'

),

settings as (

    select * from {{ ref('history_settings') }}

),

by_database as (

    select
        task_set,
        encoder,
        history_setting,
        db_id,
        sum(n_required)::bigint as n_required,
        sum(n_retrieved)::bigint as n_retrieved,
        sum(n_covered)::bigint as n_covered,
    from scores
    group by task_set, encoder, history_setting, db_id

),

whole as (

    select
        task_set,
        encoder,
        history_setting,
        sum(n_required)::bigint as n_required,
        sum(n_retrieved)::bigint as n_retrieved,
        sum(n_covered)::bigint as n_covered,
    from by_database
    group by task_set, encoder, history_setting

),

tried as (

    -- On every database but one, and on all of them.
    select
        whole.task_set,
        whole.encoder,
        whole.history_setting,
        by_database.db_id as without_db_id,
        whole.n_required - by_database.n_required as n_required,
        whole.n_retrieved - by_database.n_retrieved as n_retrieved,
        whole.n_covered - by_database.n_covered as n_covered,
    from whole
    inner join by_database
        on whole.task_set = by_database.task_set
        and whole.encoder = by_database.encoder
        and whole.history_setting = by_database.history_setting
    where whole.n_required > by_database.n_required

    union all by name

    select
        *,
        null as without_db_id,
    from whole

),

weighed as (

    select
        tried.*,
        settings.retriever,
        settings.threshold,
        settings.shots,
        settings.n_most_shots,
        settings.uses_questions,
        round(2 * tried.n_covered / (tried.n_retrieved + tried.n_required), 12) as f1,
    from tried
    inner join settings
        on tried.task_set = settings.task_set
        and tried.encoder = settings.encoder
        and tried.history_setting = settings.history_setting

),

asked_for as (

    -- The threshold alone may be chosen, or the number of shots with it.
    select
        *,
        'any' as shots_asked,
    from weighed

    union all

    select
        *,
        shots as shots_asked,
    from weighed

),

chosen as (

    select
        task_set,
        encoder,
        retriever,
        uses_questions,
        shots_asked,
        without_db_id,
        history_setting,
        threshold,
        shots,
        f1,
    from asked_for
    qualify
        row_number() over (
            partition by task_set, encoder, retriever, uses_questions, shots_asked, without_db_id
            order by f1 desc, n_most_shots asc nulls last, threshold desc nulls last, history_setting asc
        ) = 1

)

select * from chosen
