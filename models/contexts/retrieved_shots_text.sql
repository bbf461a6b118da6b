with

runs as (

    select distinct
        task_set,
        history_setting,
        pipeline,
    from {{ ref('history_runs') }}
    where purpose = 'answer'

),

shots as (

    select * from {{ ref('retrieved_shots') }}

),

queries as (

    select * from {{ ref('history_queries') }}

),

component_lines as (

    select * from {{ ref('history_component_lines') }}

),

components as (

    select
        history,
        history_query_id,
        list(item_id) as item_ids,
        list(item_id) filter (where knowledge_type = 'full_sql') as whole_ids,
    from {{ ref('script_components') }}
    group by history, history_query_id

),

descriptions as (

    select * from {{ ref('script_descriptions') }}

),

parts as (

    select
        shots.task_set,
        shots.history_setting,
        shots.question_id,
        shots.shot_number,
        string_agg(
            concat('- ', lines.knowledge_type, ': ', lines.sql_text, ' (' || coalesce(lines.description, lines.name) || ')'),
            chr(10) order by lines.component_number
        ) as parts,
    from shots
    inner join component_lines as lines
        on shots.history = lines.history
        and shots.history_query_id = lines.history_query_id
        and list_contains(shots.item_ids, lines.item_id)
    group by shots.task_set, shots.history_setting, shots.question_id, shots.shot_number

),

shown as (

    -- Where the history's questions are not used, or it has none, a query is named after what it does.
    select
        runs.pipeline,
        shots.task_set,
        shots.history_setting,
        shots.question_id,
        shots.shot_number,
        coalesce(
            if(shots.uses_questions, {{ one_line('queries.question') }}, null),
            {{ one_line('descriptions.description') }},
            'a query on this database'
        ) as question,
        -- What a label alone says that a query holds has no part of it to be shown by.
        shots.use_all
        or list_has_any(shots.item_ids, coalesce(components.whole_ids, []))
        or not list_has_all(coalesce(components.item_ids, []), shots.item_ids) as is_whole,
        case when is_whole then trim(queries.sql) end as sql,
        parts.parts,
    from runs
    inner join shots
        on runs.task_set = shots.task_set
        and runs.history_setting = shots.history_setting
    inner join queries
        on shots.history = queries.history
        and shots.history_query_id = queries.history_query_id
    left join components
        on shots.history = components.history
        and shots.history_query_id = components.history_query_id
    left join descriptions
        on shots.history = descriptions.history
        and shots.history_query_id = descriptions.history_query_id
    left join parts
        on shots.task_set = parts.task_set
        and shots.history_setting = parts.history_setting
        and shots.question_id = parts.question_id
        and shots.shot_number = parts.shot_number
    where is_whole or parts.parts is not null

),

written as (

    select
        pipeline,
        task_set,
        history_setting,
        question_id,
        shot_number,
        case pipeline
            when 'dail_sql' then {{ shot_dail_sql('question', 'sql', 'parts') }}
            when 'opensearch_sql' then {{ shot_opensearch_sql('question', 'sql', 'parts') }}
            when 'n_rep' then {{ shot_n_rep('question', 'sql', 'parts') }}
            else {{ shot_codes('question', 'sql', 'parts') }}
        end as text,
    from shown

),

joined as (

    select
        pipeline,
        task_set,
        history_setting,
        question_id,
        count(*)::integer as n_shots,
        string_agg(text, chr(10) || chr(10) order by shot_number) as shots_text,
    from written
    group by pipeline, task_set, history_setting, question_id

)

select * from joined
