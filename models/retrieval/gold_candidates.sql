with recursive

retrievers as (

    select * from {{ ref('retrievers') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

needed as (

    select * from {{ ref('history_task_items') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

listed as (

    select
        needed.task_set,
        needed.question_id,
        needed.history,
        needed.item_id,
        unnest(needed.history_query_ids) as history_query_id,
    from needed

),

holding as (

    -- The items that a script would bring, of those that the task needs.
    select
        listed.task_set,
        listed.question_id,
        listed.history_query_id,
        scripts.query_position,
        list(distinct listed.item_id order by listed.item_id) as item_ids,
    from listed
    inner join tasks
        on listed.task_set = tasks.task_set
        and listed.question_id = tasks.question_id
    inner join scripts
        on listed.history = scripts.history
        and listed.history_query_id = scripts.history_query_id
        and listed.history_query_id is distinct from tasks.own_query_id
        and coalesce(scripts.known_since < tasks.asked_at, true)
    group by listed.task_set, listed.question_id, listed.history_query_id, scripts.query_position

),

chosen as (

    -- Always the script that brings most of what is still missing.
    select
        task_set,
        question_id,
        0 as rank,
        null::varchar as history_query_id,
        []::varchar[] as item_ids,
        []::varchar[] as covered_ids,
    from tasks

    union all

    select
        task_set,
        question_id,
        rank,
        history_query_id,
        new_ids as item_ids,
        covered_ids || new_ids as covered_ids,
    from (
        select
            chosen.task_set,
            chosen.question_id,
            chosen.rank + 1 as rank,
            holding.history_query_id,
            chosen.covered_ids,
            list_filter(holding.item_ids, lambda item: not list_contains(chosen.covered_ids, item)) as new_ids,
            row_number() over (
                partition by chosen.task_set, chosen.question_id
                order by len(new_ids) desc, holding.query_position asc, holding.history_query_id asc
            ) as place,
        from chosen
        inner join holding
            on chosen.task_set = holding.task_set
            and chosen.question_id = holding.question_id
    )
    where place = 1 and len(new_ids) > 0

),

kept as (

    select
        chosen.task_set,
        chosen.question_id,
        chosen.rank,
        chosen.history_query_id,
        chosen.item_ids,
    from chosen
    inner join retrievers on retrievers.retriever = 'gold'
    where chosen.rank between 1 and retrievers.n_most

)

select * from kept
