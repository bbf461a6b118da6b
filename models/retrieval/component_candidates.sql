with

retrievers as (

    select * from {{ ref('retrievers') }}

),

thresholds as (

    select min(threshold) as lowest_threshold from {{ ref('history_thresholds') }}

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

matches as (

    select * from {{ ref('item_similarities') }}

),

components as (

    select * from {{ ref('script_components') }}

),

-- Numbers stand for searches, scripts and items, in the order that ties are broken in: pairs of them are many.
searches as (

    {{ numbered_searches('similarities') }}

),

numbered_scripts as (

    {{ numbered_scripts('similarities') }}

),

numbered_items as (

    select
        history,
        db_id,
        item_id,
        row_number() over (order by history, db_id, item_id) as item_number,
    from (
        select distinct
            history,
            db_id,
            item_id,
        from components
    )

),

held as (

    select distinct
        numbered_scripts.script_number,
        numbered_items.item_number,
    from components
    inner join numbered_scripts
        on components.history = numbered_scripts.history
        and components.history_query_id = numbered_scripts.history_query_id
    inner join numbered_items
        on components.history = numbered_items.history
        and components.db_id = numbered_items.db_id
        and components.item_id = numbered_items.item_id

),

own_scores as (

    -- How alike the scripts themselves are to the question: as retriever q sees them.
    select
        searches.search_number,
        numbered_scripts.script_number,
        if(
            searches.uses_questions,
            greatest(similarities.qs, similarities.description_score),
            similarities.description_score
        ) as own_score,
    from similarities
    inner join searches
        on similarities.task_set = searches.task_set
        and similarities.question_id = searches.question_id
        and similarities.encoder = searches.encoder
    inner join numbered_scripts
        on similarities.history = numbered_scripts.history
        and similarities.history_query_id = numbered_scripts.history_query_id

),

matched as (

    select
        searches.search_number,
        numbered_items.item_number,
        matches.score,
    from matches
    cross join thresholds
    inner join searches
        on matches.task_set = searches.task_set
        and matches.question_id = searches.question_id
        and matches.encoder = searches.encoder
    inner join numbered_items
        on matches.history = numbered_items.history
        and matches.db_id = numbered_items.db_id
        and matches.item_id = numbered_items.item_id
    where matches.score >= thresholds.lowest_threshold

),

traced as (

    -- An item comes from the script that is itself most like the question; of equal ones from the first.
    select
        matched.search_number,
        matched.item_number,
        any_value(matched.score) as score,
        arg_max(
            held.script_number,
            coalesce((own_scores.own_score * 1000000)::bigint, -1000001) * 1000000000 - held.script_number
        ) as script_number,
    from matched
    inner join held on matched.item_number = held.item_number
    inner join own_scores
        on matched.search_number = own_scores.search_number
        and held.script_number = own_scores.script_number
    group by matched.search_number, matched.item_number

),

whole as (

    select
        own_scores.search_number,
        own_scores.script_number,
        own_scores.own_score as score,
    from own_scores
    cross join thresholds
    semi join held on own_scores.script_number = held.script_number
    where own_scores.own_score >= thresholds.lowest_threshold

),

-- Scripts are ranked before their items are listed. A script scores as its best item, or as itself where it comes whole.
scored as (

    select
        'c' as retriever,
        search_number,
        script_number,
        max(score) as score,
        null::double as whole_score,
    from traced
    group by search_number, script_number

    union all

    select
        'q_c' as retriever,
        search_number,
        script_number,
        max(score) as score,
        max(whole_score) as whole_score,
    from (
        select search_number, script_number, score, null::double as whole_score from traced
        union all
        select search_number, script_number, score, score as whole_score from whole
    )
    group by search_number, script_number

),

pools as (

    -- Of q_c as many as its reranker looks at.
    select
        if(retriever = 'c', 'c', 'q_c') as retriever,
        max(coalesce(n_pool, n_most)) as n_pool,
    from retrievers
    where retriever in ('c', 'q_c', 'q_c_reranked')
    group by if(retriever = 'c', 'c', 'q_c')

),

ranked as (

    select
        scored.retriever,
        scored.search_number,
        scored.script_number,
        scored.score,
        scored.whole_score,
        row_number() over (
            partition by scored.retriever, scored.search_number
            order by scored.score desc, scored.script_number asc
        ) as rank,
    from scored
    inner join pools on scored.retriever = pools.retriever
    qualify rank <= pools.n_pool

),

brought as (

    select
        ranked.retriever,
        ranked.search_number,
        ranked.script_number,
        traced.item_number,
        traced.score,
    from ranked
    inner join traced
        on ranked.search_number = traced.search_number
        and ranked.script_number = traced.script_number

    union all

    select
        ranked.retriever,
        ranked.search_number,
        ranked.script_number,
        held.item_number,
        ranked.whole_score as score,
    from ranked
    inner join held on ranked.script_number = held.script_number
    where ranked.whole_score is not null

),

per_item as (

    select
        retriever,
        search_number,
        script_number,
        item_number,
        max(score) as score,
    from brought
    group by retriever, search_number, script_number, item_number

),

listed as (

    select
        per_item.retriever,
        per_item.search_number,
        per_item.script_number,
        list(
            { 'item_id': numbered_items.item_id, 'score': per_item.score }
            order by per_item.score desc, per_item.item_number asc
        ) as items,
    from per_item
    inner join numbered_items on per_item.item_number = numbered_items.item_number
    group by per_item.retriever, per_item.search_number, per_item.script_number

),

named as (

    select
        searches.task_set,
        searches.question_id,
        searches.encoder,
        ranked.retriever,
        searches.uses_questions,
        numbered_scripts.history_query_id,
        ranked.score,
        ranked.rank,
        ranked.whole_score,
        list_transform(listed.items, lambda item: item.item_id) as item_ids,
        list_transform(listed.items, lambda item: item.score) as item_scores,
    from ranked
    inner join searches on ranked.search_number = searches.search_number
    inner join numbered_scripts on ranked.script_number = numbered_scripts.script_number
    inner join listed
        on ranked.retriever = listed.retriever
        and ranked.search_number = listed.search_number
        and ranked.script_number = listed.script_number

)

select * from named
