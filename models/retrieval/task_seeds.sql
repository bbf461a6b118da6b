{#- How many past queries are drawn for a draft, of which those that mean the same as an earlier one are left out. -#}
{% set n_drawn = 30 -%}
{% set n_offered = 6 -%}

with recursive

wanted as (

    select
        history,
        schema_benchmark,
        max(n_drafts) as n_drafts,
    from {{ ref('task_runs') }}
    group by history, schema_benchmark

),

drafts as (

    select
        history,
        schema_benchmark,
        unnest(range(1, n_drafts + 1)) as draft_number,
    from wanted

),

databases as (

    select * from {{ ref('databases') }}
    where has_data

),

components as (

    select
        history,
        history_query_id,
        list(distinct item_id order by item_id) as item_ids,
    from {{ ref('script_components') }}
    where
        knowledge_type <> 'full_sql'
        and history in (select wanted.history from wanted)
    group by history, history_query_id

),

scripts as (

    -- A query without a component has nothing to be reused, and one without a database cannot be tried out.
    select
        queries.history,
        queries.db_id,
        queries.history_query_id,
        queries.dialect,
        components.item_ids,
        row_number() over (
            partition by queries.history, queries.db_id
            order by queries.query_position, queries.history_query_id
        ) as place,
        count(*) over (partition by queries.history, queries.db_id) as n_of_database,
    from {{ ref('history_queries') }} as queries
    inner join components
        on queries.history = components.history
        and queries.history_query_id = components.history_query_id
    inner join databases
        on queries.schema_benchmark = databases.benchmark
        and queries.db_id = databases.db_id
    where queries.status = 'kept'

),

usable as (

    select
        *,
        row_number() over (partition by history order by db_id, place) as overall_place,
        count(*) over (partition by history) as n_of_history,
    from scripts
    where n_of_database > 1

),

drawn_databases as (

    -- A draft is about the database of a query drawn from all.
    select
        drafts.history,
        drafts.schema_benchmark,
        drafts.draft_number,
        usable.db_id,
        usable.n_of_database,
    from drafts
    inner join (select distinct history, n_of_history from usable) as sizes on drafts.history = sizes.history
    inner join usable
        on drafts.history = usable.history
        and usable.overall_place
        -- Without the cast the remainder would be of a rounded number.
        = (md5_number(concat_ws(chr(31), 'task', drafts.history, drafts.draft_number)) % sizes.n_of_history::uhugeint)::bigint
        + 1

),

drawn_places as (

    select
        drawn_databases.*,
        draw_number,
        (md5_number(concat_ws(chr(31), 'task', history, draft_number, draw_number)) % n_of_database::uhugeint)::bigint + 1
            as place,
    from drawn_databases
    cross join (select unnest(range(1, {{ n_drawn + 1 }})) as draw_number) as draws

),

first_drawn as (

    select
        history,
        schema_benchmark,
        draft_number,
        db_id,
        place,
        min(draw_number) as first_number,
    from drawn_places
    group by history, schema_benchmark, draft_number, db_id, place

),

drawn as (

    select
        first_drawn.history,
        first_drawn.schema_benchmark,
        first_drawn.draft_number,
        first_drawn.db_id,
        scripts.history_query_id,
        scripts.dialect,
        scripts.item_ids,
        row_number() over (
            partition by first_drawn.history, first_drawn.draft_number
            order by first_drawn.first_number
        ) as draw_number,
    from first_drawn
    inner join scripts
        on first_drawn.history = scripts.history
        and first_drawn.db_id = scripts.db_id
        and first_drawn.place = scripts.place

),

alike as (

    select
        later.history,
        later.draft_number,
        later.draw_number,
        list(earlier.draw_number order by earlier.draw_number) as earlier_numbers,
    from drawn as later
    inner join drawn as earlier
        on later.history = earlier.history
        and later.draft_number = earlier.draft_number
        and later.draw_number > earlier.draw_number
    where
        len(list_intersect(later.item_ids, earlier.item_ids))
        > (
            select rules.most from {{ ref('task_rules') }} as rules
            where rules.check_name = 'originals_dissimilar'
        ) * len(list_distinct(list_concat(later.item_ids, earlier.item_ids)))
    group by later.history, later.draft_number, later.draw_number

),

compared as (

    select
        drawn.*,
        coalesce(alike.earlier_numbers, []) as earlier_numbers,
    from drawn
    left join alike
        on drawn.history = alike.history
        and drawn.draft_number = alike.draft_number
        and drawn.draw_number = alike.draw_number

),

walk as (

    select
        history,
        draft_number,
        draw_number,
        [draw_number] as taken,
    from compared
    where draw_number = 1

    union all

    select
        compared.history,
        compared.draft_number,
        compared.draw_number,
        if(
            len(walk.taken) < {{ n_offered }} and len(list_intersect(walk.taken, compared.earlier_numbers)) = 0,
            list_append(walk.taken, compared.draw_number),
            walk.taken
        ) as taken,
    from walk
    inner join compared
        on walk.history = compared.history
        and walk.draft_number = compared.draft_number
        and walk.draw_number + 1 = compared.draw_number

),

walked as (

    select
        history,
        draft_number,
        arg_max(taken, draw_number) as taken,
    from walk
    group by history, draft_number

),

offered as (

    select
        drawn.history,
        drawn.schema_benchmark,
        drawn.draft_number,
        list_position(walked.taken, drawn.draw_number) as offer_number,
        drawn.db_id,
        drawn.dialect,
        drawn.history_query_id,
    from walked
    inner join drawn
        on walked.history = drawn.history
        and walked.draft_number = drawn.draft_number
        and list_contains(walked.taken, drawn.draw_number)
    where len(walked.taken) > 1

)

select * from offered
