with

runs as (

    select distinct
        benchmark,
        task_set,
        history,
        history_setting,
        retriever,
        threshold,
        shots,
        uses_questions,
    from {{ ref('history_runs') }}
    where purpose = 'answer'

),

retrievers as (

    select * from {{ ref('retrievers') }}

),

candidates as (

    select * from {{ ref('history_candidates') }}

),

settings as (

    select
        runs.*,
        case when retrievers.uses_threshold then runs.threshold end as least_score,
        coalesce(try_cast(runs.shots as integer), retrievers.n_most) as n_most,
    from runs
    inner join retrievers on runs.retriever = retrievers.retriever

),

passed as (

    select
        settings.benchmark,
        settings.task_set,
        settings.history,
        settings.history_setting,
        settings.uses_questions,
        candidates.question_id,
        candidates.encoder,
        candidates.history_query_id,
        candidates.score,
        settings.n_most,
        coalesce(candidates.whole_score >= coalesce(settings.least_score, candidates.whole_score), false) as use_all,
        candidates.item_ids as all_item_ids,
        list_transform(
            list_filter(
                list_zip(candidates.item_ids, candidates.item_scores),
                lambda pair: pair[2] >= coalesce(settings.least_score, pair[2])
            ),
            lambda pair: pair[1]
        ) as passed_item_ids,
        row_number() over (
            partition by settings.task_set, settings.history_setting, candidates.question_id, candidates.encoder
            order by candidates.rank
        )::integer as shot_number,
    from settings
    inner join candidates
        on settings.task_set = candidates.task_set
        and settings.retriever = candidates.retriever
        -- What holds all that is needed reads no question.
        and (settings.uses_questions = candidates.uses_questions or settings.retriever = 'gold')
    where candidates.score >= coalesce(settings.least_score, candidates.score)

),

shots as (

    select
        benchmark,
        task_set,
        history,
        history_setting,
        uses_questions,
        question_id,
        encoder,
        shot_number,
        history_query_id,
        score,
        use_all,
        if(use_all, all_item_ids, passed_item_ids) as item_ids,
    from passed
    where shot_number <= n_most

)

select * from shots
