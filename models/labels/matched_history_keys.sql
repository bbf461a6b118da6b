with

keys as (

    select * from {{ ref('published_keys') }}

),

readings as (

    select * from {{ ref('key_readings') }}

),

scripts as (

    select * from {{ ref('history_queries') }}

),

components as (

    select distinct
        history,
        db_id,
        history_query_id,
        knowledge_type,
        skeleton,
        {{ unspaced('published_skeleton') }} as spelling,
    from {{ ref('script_components') }}

),

read_keys as (

    select
        keys.* exclude (key_reading_id, dialect, outline_id),
        coalesce(readings.key_outcome, 'unread') = 'read' as is_read,
        readings.knowledge_type as key_type,
        readings.skeleton as key_skeleton,
        readings.error,
        {{ unspaced('keys.knowledge_key') }} as key_spelling,
        -- Of a key with columns whose table it cannot tell: any table may stand there.
        case
            when contains(readings.skeleton, '?.')
                then replace(regexp_escape(readings.skeleton), '\?\.', '(?:"[^"]*"(?:#\d+)?|[^\s().,"]+)\.')
        end as key_pattern,
    from keys
    left join readings on keys.key_reading_id = readings.key_reading_id

),

named as (

    select
        task_set,
        question_id,
        label_number,
        history,
        db_id,
        key_type,
        key_skeleton,
        key_spelling,
        key_pattern,
        unnest(history_query_ids) as named_id,
        generate_subscripts(history_query_ids, 1) as place,
    from read_keys

),

found as (

    -- What was merged into another query with the same skeleton is found there.
    select
        named.*,
        scripts.status,
        scripts.history_query_id is not null as is_in_history,
        coalesce(scripts.db_id = named.db_id, false) as is_of_database,
        case when scripts.db_id = named.db_id then scripts.kept_query_id end as kept_query_id,
    from named
    left join scripts
        on named.history = scripts.history
        and named.named_id = scripts.history_query_id

),

beside as (

    select
        found.*,
        components.knowledge_type,
        components.skeleton,
        case
            when components.skeleton = found.key_skeleton and components.knowledge_type = found.key_type then 1
            -- A key may not tell its type as its clause does: the same text under ORDER BY and in SELECT.
            when components.skeleton = found.key_skeleton then 2
            -- A name that the key alone does not settle may still be spelled as the query's component is.
            when components.spelling = found.key_spelling then 3
            when components.knowledge_type = found.key_type and regexp_full_match(components.skeleton, found.key_pattern)
                then 4
        end as step,
    from found
    inner join components
        on found.history = components.history
        and found.db_id = components.db_id
        and found.kept_query_id = components.history_query_id

),

fitting as (

    select
        *,
        min(step) over (partition by task_set, question_id, label_number) as first_step,
    from beside
    where step is not null

),

holding as (

    -- Where the queries hold it of several tables, nobody knows which is meant.
    select
        task_set,
        question_id,
        label_number,
        first_step,
        count(distinct named_id) as n_holding,
        arg_min(
            {
                'knowledge_type': knowledge_type,
                'skeleton': skeleton,
            },
            (step, knowledge_type is distinct from key_type, knowledge_type, skeleton)
        ) as held,
    from fitting
    where step < 4 or first_step = 4
    group by task_set, question_id, label_number, first_step
    having first_step < 4 or count(distinct skeleton) = 1

),

nearest as (

    select
        task_set,
        question_id,
        label_number,
        arg_max(skeleton, (jaro_winkler_similarity(skeleton, key_skeleton), skeleton)) as nearest_skeleton,
    from beside
    anti join holding using (task_set, question_id, label_number)
    where knowledge_type = key_type
    group by task_set, question_id, label_number

),

counted as (

    select
        task_set,
        question_id,
        label_number,
        list(coalesce(kept_query_id, named_id) order by place) as query_ids,
        count(*) as n_named,
        count(*) filter (where is_in_history) as n_in_history,
        count(*) filter (where is_of_database) as n_of_database,
        count(*) filter (where kept_query_id is not null) as n_kept,
        string_agg(distinct status, ', ' order by status) filter (where is_of_database and kept_query_id is null)
            as left_out_for,
    from found
    group by task_set, question_id, label_number

),

matched as (

    select
        read_keys.task_set,
        read_keys.benchmark,
        read_keys.question_id,
        read_keys.history,
        read_keys.db_id,
        read_keys.own_query_id,
        read_keys.label_number,
        read_keys.knowledge_key,
        coalesce(holding.held.knowledge_type, read_keys.key_type) as knowledge_type,
        coalesce(holding.held.skeleton, read_keys.key_skeleton, {{ one_line('read_keys.knowledge_key') }}) as skeleton,
        counted.query_ids as history_query_ids,
        counted.n_named,
        coalesce(holding.n_holding, 0) as n_holding,
        ['skeleton_and_type', 'skeleton', 'spelling', 'columns'][holding.first_step] as matched_by,
        case
            when holding.n_holding > 0 then null
            when not read_keys.is_read then 'unread_key'
            when counted.n_in_history = 0 then 'no_such_query'
            when counted.n_of_database = 0 then 'other_database'
            when counted.n_kept = 0 then 'left_out'
            else 'no_such_item'
        end as reason,
        case
            when holding.n_holding > 0 then null
            when not read_keys.is_read then read_keys.error
            when counted.n_of_database > 0 and counted.n_kept = 0 then counted.left_out_for
        end as detail,
        nearest.nearest_skeleton,
    from read_keys
    inner join counted
        on read_keys.task_set = counted.task_set
        and read_keys.question_id = counted.question_id
        and read_keys.label_number = counted.label_number
    left join holding
        on read_keys.task_set = holding.task_set
        and read_keys.question_id = holding.question_id
        and read_keys.label_number = holding.label_number
    left join nearest
        on read_keys.task_set = nearest.task_set
        and read_keys.question_id = nearest.question_id
        and read_keys.label_number = nearest.label_number

),

keyed as (

    select
        *,
        {{ item_id("coalesce(knowledge_type, 'unread')", 'skeleton') }} as item_id,
    from matched

)

select * from keyed
