with

best as (

    select
        sets.*,
        settings.threshold,
        settings.n_most_shots,
    from {{ ref('history_sets') }} as sets
    inner join {{ ref('history_settings') }} as settings
        on sets.task_set = settings.task_set
        and sets.encoder = settings.encoder
        and sets.history_setting = settings.history_setting
    where sets.choice = 'best'

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

needed as (

    select * from {{ ref('history_task_items') }}

),

components as (

    select * from {{ ref('script_components') }}

),

scripts as (

    -- A tenth is of a database's queries, in the order in which its history has them.
    select
        history,
        history_query_id,
        ceil(
            10 * row_number() over (
                partition by history, db_id
                order by known_since asc nulls first, query_position asc, history_query_id asc
            ) / count(*) over (partition by history, db_id)
        )::integer as tenth,
    from {{ ref('history_queries') }}
    where status = 'kept'

),

pools as (

    select unnest(range(1, 11))::integer as n_tenths

),

scored as (

    -- The retrievers that compare whole scripts: what they would find in a smaller pool follows from the similarities.
    select
        similarities.task_set,
        similarities.question_id,
        similarities.encoder,
        similarities.history,
        similarities.history_query_id,
        similarities.query_position,
        unnest([
            { 'retriever': 'qs', 'uses_questions': true, 'score': qs },
            { 'retriever': 'mqs', 'uses_questions': true, 'score': mqs },
            { 'retriever': 'mqs_qs', 'uses_questions': true, 'score': mqs_qs },
            { 'retriever': 'q', 'uses_questions': true, 'score': greatest(qs, description_score) },
            { 'retriever': 'q', 'uses_questions': false, 'score': description_score },
        ], recursive := true),
    from similarities

),

passed as (

    select
        scored.*,
        best.history_setting,
        best.n_most_shots,
        scripts.tenth,
    from scored
    inner join best
        on scored.task_set = best.task_set
        and scored.encoder = best.encoder
        and scored.retriever = best.retriever
        and scored.uses_questions = best.uses_questions
        and scored.score >= best.threshold
    inner join scripts
        on scored.history = scripts.history
        and scored.history_query_id = scripts.history_query_id

),

shown as (

    select
        passed.*,
        pools.n_tenths,
    from passed
    inner join pools on passed.tenth <= pools.n_tenths
    qualify
        row_number() over (
            partition by
                passed.task_set, passed.question_id, passed.encoder, passed.history_setting, pools.n_tenths
            order by passed.score desc, passed.query_position asc, passed.history_query_id asc
        ) <= passed.n_most_shots

),

brought as (

    select distinct
        shown.task_set,
        shown.question_id,
        shown.encoder,
        shown.history_setting,
        shown.n_tenths,
        components.item_id,
    from shown
    inner join components
        on shown.history = components.history
        and shown.history_query_id = components.history_query_id

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

covered as (

    select distinct
        shown.task_set,
        shown.question_id,
        shown.encoder,
        shown.history_setting,
        shown.n_tenths,
        listed.item_id,
    from shown
    inner join listed
        on shown.task_set = listed.task_set
        and shown.question_id = listed.question_id
        and shown.history_query_id = listed.history_query_id

),

retrieved as (

    select * from brought
    union
    select * from covered

),

findable as (

    select
        listed.task_set,
        listed.question_id,
        listed.item_id,
        min(scripts.tenth) as first_tenth,
    from listed
    inner join scripts
        on listed.history = scripts.history
        and listed.history_query_id = scripts.history_query_id
    group by listed.task_set, listed.question_id, listed.item_id

),

{% for counted in ['retrieved', 'covered'] -%}
n_{{ counted }} as (

    select
        task_set,
        encoder,
        history_setting,
        n_tenths,
        count(*) as n_items,
    from {{ counted }}
    group by task_set, encoder, history_setting, n_tenths

),

{% endfor -%}
n_findable as (

    select
        findable.task_set,
        pools.n_tenths,
        count(*) as n_items,
    from findable
    inner join pools on findable.first_tenth <= pools.n_tenths
    group by findable.task_set, pools.n_tenths

),

n_needed as (

    select
        task_set,
        count(*) as n_tasks,
        sum(n_items)::bigint as n_items,
    from tasks
    group by task_set

),

curves as (

    select
        best.task_set,
        best.encoder,
        best.retriever,
        best.uses_questions,
        best.history_setting,
        pools.n_tenths,
        pools.n_tenths / 10 as pool_share,
        n_needed.n_tasks,
        n_needed.n_items as n_required,
        coalesce(n_findable.n_items, 0) as n_findable,
        coalesce(n_retrieved.n_items, 0) as n_retrieved,
        coalesce(n_covered.n_items, 0) as n_covered,
    from best
    cross join pools
    inner join n_needed on best.task_set = n_needed.task_set
    left join n_findable
        on best.task_set = n_findable.task_set
        and pools.n_tenths = n_findable.n_tenths
    left join n_retrieved
        on best.task_set = n_retrieved.task_set
        and best.encoder = n_retrieved.encoder
        and best.history_setting = n_retrieved.history_setting
        and pools.n_tenths = n_retrieved.n_tenths
    left join n_covered
        on best.task_set = n_covered.task_set
        and best.encoder = n_covered.encoder
        and best.history_setting = n_covered.history_setting
        and pools.n_tenths = n_covered.n_tenths
    where best.retriever in ('qs', 'mqs', 'mqs_qs', 'q') and (best.uses_questions or best.retriever = 'q')

)

select
    *,
    {{ item_rates('curves') }},
    round(n_covered / nullif(n_findable, 0), 12) as recall_of_findable,
from curves
order by task_set, encoder, retriever, uses_questions desc, n_tenths
