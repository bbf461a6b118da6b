with recursive

retrievers as (

    select * from {{ ref('retrievers') }}
    where retriever = 'evalhouse'

),

votes as (

    select * from {{ ref('script_votes') }}

),

chances as (

    select * from {{ ref('item_chances') }}

),

components as (

    select * from {{ ref('script_components') }}

),

held as (

    select distinct
        history,
        history_query_id,
        item_id,
    from components

),

searches as (

    select
        task_set,
        question_id,
        encoder,
        uses_questions,
        row_number() over (order by task_set, question_id, encoder, uses_questions) as search_number,
    from votes
    group by task_set, question_id, encoder, uses_questions

),

numbered_items as (

    -- An item is known by its place, the likeliest first.
    select
        chances.*,
        searches.search_number,
        row_number() over (
            partition by searches.search_number
            order by chances.score desc, chances.chance desc, chances.pool_share asc, chances.item_id asc
        ) as item_number,
    from chances
    inner join searches
        on chances.task_set = searches.task_set
        and chances.question_id = searches.question_id
        and chances.encoder = searches.encoder
        and chances.uses_questions = searches.uses_questions

),

item_lists as (

    select
        search_number,
        list(item_id order by item_number) as item_ids,
        list(score order by item_number) as item_scores,
        list(chance order by item_number) as item_chances,
    from numbered_items
    group by search_number

),

offers as (

    select
        numbered_items.search_number,
        votes.place,
        votes.history_query_id,
        list(numbered_items.item_number order by numbered_items.item_number) as item_numbers,
    from votes
    inner join held
        on votes.history = held.history
        and votes.history_query_id = held.history_query_id
    inner join numbered_items
        on votes.task_set = numbered_items.task_set
        and votes.question_id = numbered_items.question_id
        and votes.encoder = numbered_items.encoder
        and votes.uses_questions = numbered_items.uses_questions
        and held.item_id = numbered_items.item_id
    group by numbered_items.search_number, votes.place, votes.history_query_id

),

chosen as (

    -- Always a script that holds the likeliest item still missing: of these the one that brings most.
    select
        item_lists.search_number,
        0 as rank,
        null::varchar as history_query_id,
        []::bigint[] as brought,
        range(1, len(item_lists.item_ids) + 1) as missing,
    from item_lists

    union all

    select
        search_number,
        rank,
        history_query_id,
        found as brought,
        list_filter(missing, lambda item: not list_contains(found, item)) as missing,
    from (
        select
            chosen.search_number,
            chosen.rank + 1 as rank,
            offers.history_query_id,
            chosen.missing,
            list_filter(offers.item_numbers, lambda item: list_contains(chosen.missing, item)) as found,
            row_number() over (
                partition by chosen.search_number
                order by
                    round(
                        list_sum(list_transform(found, lambda item: item_lists.item_chances[item])), 6
                    ) desc,
                    offers.place asc
            ) as preference,
        from chosen
        inner join offers
            on chosen.search_number = offers.search_number
            and list_contains(offers.item_numbers, chosen.missing[1])
        inner join item_lists on chosen.search_number = item_lists.search_number
        where chosen.rank < (select retrievers.n_most from retrievers)
    )
    where preference = 1

),

listed as (

    select
        searches.task_set,
        searches.question_id,
        searches.encoder,
        'evalhouse' as retriever,
        searches.uses_questions,
        chosen.history_query_id,
        item_lists.item_scores[chosen.brought[1]] as score,
        chosen.rank,
        null::double as whole_score,
        list_transform(chosen.brought, lambda item: item_lists.item_ids[item]) as item_ids,
        list_transform(chosen.brought, lambda item: item_lists.item_scores[item]) as item_scores,
    from chosen
    inner join searches on chosen.search_number = searches.search_number
    inner join item_lists on chosen.search_number = item_lists.search_number
    where chosen.rank > 0

)

select * from listed
