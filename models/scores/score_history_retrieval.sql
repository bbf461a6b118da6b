{#- The grid of settings is closed under prefixes: a selection of fewer shots is the beginning of one of more. So an item
    is placed once per threshold, at the first selected script that gives it, and every number of shots is a sum over
    places. Tasks, searches and items go by number: there are millions of them. -#}
with

candidates as (

    select * from {{ ref('history_candidates') }}

),

settings as (

    select * from {{ ref('history_settings') }}

),

tasks as (

    select
        *,
        row_number() over (order by task_set, question_id) as task_number,
    from {{ ref('history_tasks') }}

),

required as (

    select * from {{ ref('history_task_items') }}

),

known_items as (

    select distinct
        item_id,
        knowledge_type,
    from {{ ref('knowledge_items') }}

    union

    select distinct
        item_id,
        knowledge_type,
    from required

),

items as (

    select
        item_id,
        any_value(knowledge_type) as knowledge_type,
        row_number() over (order by item_id) as item_number,
    from known_items
    group by item_id

),

searches as (

    -- A retriever as it searches, and the thresholds that its candidates are held to.
    select
        task_set,
        encoder,
        retriever,
        uses_questions,
        threshold,
        row_number() over (
            order by task_set, encoder, retriever, uses_questions, threshold
        ) as search_number,
    from (
        select distinct
            task_set,
            encoder,
            retriever,
            uses_questions,
            threshold,
        from settings
    )

),

numbered_settings as (

    select
        settings.*,
        coalesce(settings.n_most_shots, 2147483647) as n_shots_at_most,
        searches.search_number,
        row_number() over (order by settings.task_set, settings.encoder, settings.history_setting) as setting_number,
    from settings
    inner join searches
        on settings.task_set = searches.task_set
        and settings.encoder = searches.encoder
        and settings.retriever = searches.retriever
        and settings.uses_questions = searches.uses_questions
        and settings.threshold is not distinct from searches.threshold

),

-- Numbered once: whoever reads it reads the same numbers.
numbered_candidates as materialized (

    select
        tasks.task_number,
        row_number() over () as candidate_number,
        candidates.task_set,
        candidates.encoder,
        candidates.retriever,
        candidates.uses_questions,
        candidates.score,
        candidates.rank,
        candidates.history_query_id,
        candidates.whole_score,
        candidates.item_ids,
        candidates.item_scores,
    from candidates
    inner join tasks
        on candidates.task_set = tasks.task_set
        and candidates.question_id = tasks.question_id

),

selected as (

    -- Place of a script among those that pass the threshold.
    select
        numbered_candidates.task_number,
        searches.search_number,
        searches.threshold,
        numbered_candidates.candidate_number,
        row_number() over (
            partition by numbered_candidates.task_number, searches.search_number
            order by numbered_candidates.rank
        ) as place,
    from numbered_candidates
    inner join searches
        on numbered_candidates.task_set = searches.task_set
        and numbered_candidates.encoder = searches.encoder
        and numbered_candidates.retriever = searches.retriever
        and numbered_candidates.uses_questions = searches.uses_questions
        and (searches.threshold is null or numbered_candidates.score >= searches.threshold)

),

given as (

    select
        candidate_number,
        unnest(item_ids) as item_id,
        unnest(item_scores) as item_score,
    from numbered_candidates

),

given_items as (

    select
        given.candidate_number,
        items.item_number,
        given.item_score,
    from given
    inner join items on given.item_id = items.item_id

),

listed as (

    -- Scripts that are labelled with an item that the task needs.
    select
        tasks.task_number,
        items.item_number,
        unnest(required.history_query_ids) as history_query_id,
    from required
    inner join tasks
        on required.task_set = tasks.task_set
        and required.question_id = tasks.question_id
    inner join items on required.item_id = items.item_id

),

listed_candidates as (

    select distinct
        numbered_candidates.candidate_number,
        listed.item_number,
        numbered_candidates.whole_score,
    from numbered_candidates
    inner join listed
        on numbered_candidates.task_number = listed.task_number
        and numbered_candidates.history_query_id = listed.history_query_id

),

contributed as (

    -- What the label says a whole script holds, it gives, even where we read it otherwise.
    select
        coalesce(given_items.candidate_number, listed_candidates.candidate_number) as candidate_number,
        coalesce(given_items.item_number, listed_candidates.item_number) as item_number,
        greatest(given_items.item_score, listed_candidates.whole_score) as item_score,
        listed_candidates.item_number is not null as is_listed,
    from given_items
    full join listed_candidates
        on given_items.candidate_number = listed_candidates.candidate_number
        and given_items.item_number = listed_candidates.item_number
    where given_items.item_number is not null or listed_candidates.whole_score is not null

),

placed as (

    select
        selected.task_number,
        selected.search_number,
        contributed.item_number,
        min(selected.place) as place,
        min(selected.place) filter (where contributed.is_listed) as listed_place,
    from selected
    inner join contributed
        on selected.candidate_number = contributed.candidate_number
        and (selected.threshold is null or contributed.item_score >= selected.threshold)
    group by selected.task_number, selected.search_number, contributed.item_number

),

counted as (

    select
        placed.task_number,
        placed.search_number,
        placed.place,
        items.knowledge_type,
        count(*) as n_retrieved,
        0 as n_covered,
    from placed
    inner join items on placed.item_number = items.item_number
    group by placed.task_number, placed.search_number, placed.place, items.knowledge_type

    union all

    select
        placed.task_number,
        placed.search_number,
        placed.listed_place as place,
        items.knowledge_type,
        0 as n_retrieved,
        count(*) as n_covered,
    from placed
    inner join items on placed.item_number = items.item_number
    where placed.listed_place is not null
    group by placed.task_number, placed.search_number, placed.listed_place, items.knowledge_type

),

retrieved_by_type as (

    select
        counted.task_number,
        numbered_settings.setting_number,
        counted.knowledge_type,
        sum(counted.n_retrieved)::integer as n_retrieved,
        sum(counted.n_covered)::integer as n_covered,
    from counted
    inner join numbered_settings
        on counted.search_number = numbered_settings.search_number
        and counted.place <= numbered_settings.n_shots_at_most
    group by counted.task_number, numbered_settings.setting_number, counted.knowledge_type

),

retrieved as (

    select * from retrieved_by_type
    where knowledge_type is not null

    union all

    select
        task_number,
        setting_number,
        'all' as knowledge_type,
        sum(n_retrieved)::integer as n_retrieved,
        sum(n_covered)::integer as n_covered,
    from retrieved_by_type
    group by task_number, setting_number

),

needed_by_type as (

    select
        tasks.task_number,
        tasks.task_set,
        tasks.question_id,
        required.knowledge_type,
        count(*)::integer as n_required,
    from required
    inner join tasks
        on required.task_set = tasks.task_set
        and required.question_id = tasks.question_id
    group by tasks.task_number, tasks.task_set, tasks.question_id, required.knowledge_type

),

needed as (

    select * from needed_by_type
    where knowledge_type is not null

    union all

    select
        task_number,
        task_set,
        question_id,
        'all' as knowledge_type,
        sum(n_required)::integer as n_required,
    from needed_by_type
    group by task_number, task_set, question_id

),

shown as (

    select
        selected.task_number,
        numbered_settings.setting_number,
        count(*)::integer as n_shots,
    from selected
    inner join numbered_settings
        on selected.search_number = numbered_settings.search_number
        and selected.place <= numbered_settings.n_shots_at_most
    group by selected.task_number, numbered_settings.setting_number

),

asked_for as (

    select
        needed.task_number,
        numbered_settings.setting_number,
        needed.knowledge_type,
        needed.n_required,
    from needed
    inner join numbered_settings on needed.task_set = numbered_settings.task_set

),

compared as (

    select
        coalesce(asked_for.task_number, retrieved.task_number) as task_number,
        coalesce(asked_for.setting_number, retrieved.setting_number) as setting_number,
        coalesce(asked_for.knowledge_type, retrieved.knowledge_type) as knowledge_type,
        coalesce(asked_for.n_required, 0) as n_required,
        coalesce(retrieved.n_retrieved, 0) as n_retrieved,
        coalesce(retrieved.n_covered, 0) as n_covered,
    from asked_for
    full join retrieved
        on asked_for.task_number = retrieved.task_number
        and asked_for.setting_number = retrieved.setting_number
        and asked_for.knowledge_type = retrieved.knowledge_type

),

named as (

    select
        tasks.task_set,
        tasks.benchmark,
        tasks.question_id,
        tasks.db_id,
        numbered_settings.encoder,
        numbered_settings.history_setting,
        numbered_settings.retriever,
        numbered_settings.threshold,
        numbered_settings.shots,
        numbered_settings.uses_questions,
        compared.knowledge_type,
        compared.n_required,
        compared.n_retrieved,
        compared.n_covered,
        coalesce(shown.n_shots, 0) as n_shots,
    from compared
    inner join tasks on compared.task_number = tasks.task_number
    inner join numbered_settings on compared.setting_number = numbered_settings.setting_number
    left join shown
        on compared.task_number = shown.task_number
        and compared.setting_number = shown.setting_number

)

select * from named
