with

answers as (

    select * from {{ ref('history_answers') }}
    where purpose = 'describe_history' and answer is not null

),

listed as (

    select
        history,
        db_id,
        subject_id as history_query_id,
        model,
        case when json_type(answer, '$.name') = 'VARCHAR' then {{ one_line("answer ->> '$.name'") }} end as script_name,
        case when json_type(answer, '$.description') = 'VARCHAR'
            then {{ one_line("answer ->> '$.description'") }} end as script_description,
        coalesce(try_cast(offered as varchar[]), []) as item_ids,
        coalesce(try_cast(json_extract(answer, '$.components') as json[]), []) as components,
    from answers

),

unnested as (

    select
        * exclude (components, script_name, script_description),
        unnest(components) as component,
    from listed

),

components as (

    -- What is not of the shape asked for says nothing.
    select
        history,
        db_id,
        history_query_id,
        model,
        try_cast(component ->> '$.number' as integer) as component_number,
        item_ids,
        case when json_type(component, '$.name') = 'VARCHAR' then {{ one_line("component ->> '$.name'") }} end as name,
        case when json_type(component, '$.aliases') = 'ARRAY' then coalesce(try_cast(component -> '$.aliases' as json[]), [])
            else [] end as aliases,
        case when json_type(component, '$.description') = 'VARCHAR'
            then {{ one_line("component ->> '$.description'") }} end as description,
    from unnested
    where json_type(component) = 'OBJECT'

),

told as (

    select
        history,
        db_id,
        history_query_id,
        0 as component_number,
        null as item_id,
        script_name as name,
        []::varchar[] as aliases,
        script_description as description,
        model as made_by,
    from listed
    where script_description is not null

    union all

    select
        history,
        db_id,
        history_query_id,
        component_number,
        item_ids[component_number] as item_id,
        name,
        list_filter(
            list_transform(
                list_filter(aliases, lambda alias: json_type(alias) = 'VARCHAR'),
                lambda alias: {{ one_line("(alias ->> '$')") }}
            ),
            lambda alias: alias is not null
        )[:5] as aliases,
        coalesce(description, name) as description,
        model as made_by,
    from components
    where
        component_number between 1 and len(item_ids)
        and coalesce(description, name) is not null

),

once as (

    select * from told
    qualify row_number() over (
        partition by history, history_query_id, component_number
        order by description asc, name asc, aliases asc
    ) = 1

)

select * from once
