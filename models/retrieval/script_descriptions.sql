with

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

components as (

    select * from {{ ref('script_components') }}
    where knowledge_type <> 'full_sql'

),

items as (

    select * from {{ ref('item_descriptions') }}

),

phrases as (

    select * from {{ ref('skeleton_phrases') }}

),

modelled as (

    select * from {{ ref('described_history') }}
    where component_number = 0

),

valued as (

    select
        components.history,
        components.history_query_id,
        components.component_number,
        components.knowledge_type,
        items.description,
        -- The values as written, apart from what stands in a quoted name.
        list_transform(
            regexp_extract_all(
                regexp_replace(components.sql_substring, '"[^"]*"|`[^`]*`|\[[^\]]*\]', '', 'g'),
                '''[^'']*''|\b\d+(?:\.\d+)?\b'
            ),
            lambda literal: if(regexp_full_match(literal, '''(%[A-Za-z]-?)+'''), 'a value', trim(literal, '''%'))
        ) as literals,
    from components
    inner join items
        on components.history = items.history
        and components.db_id = items.db_id
        and components.item_id = items.item_id

),

spoken as (

    select
        history,
        history_query_id,
        component_number,
        knowledge_type,
        description,
        case
            when len(literals) = 0 or (len(description) - len(replace(description, 'a value', ''))) / 7 <> len(literals)
                then description
            else array_to_string(
                flatten(list_transform(
                    list_zip(string_split(description, 'a value'), literals),
                    lambda pair: [pair[1], coalesce(pair[2], '')]
                )), ''
            )
        end as phrase,
    from valued

),

told as (

    select
        history,
        history_query_id,
        list(description) filter (where knowledge_type in ('calculation', 'output')) as shown,
        string_agg(phrase, '; ' order by component_number) filter (where is_first and knowledge_type <> 'relation')
            as parts,
        string_agg(phrase, '; ' order by component_number) filter (where is_first and knowledge_type = 'relation')
            as relations,
    from (
        select
            *,
            row_number() over (
                partition by history, history_query_id, phrase
                order by component_number
            ) = 1 as is_first,
        from spoken
    )
    group by history, history_query_id

),

described as (

    select
        scripts.history,
        scripts.db_id,
        scripts.history_query_id,
        coalesce(nullif(array_to_string(phrases.column_names, ', '), ''), phrases.phrase, scripts.history_query_id)
            as name,
        []::varchar[] as aliases,
        concat_ws(
            '; ',
            -- What a calculation or DISTINCT tells is not told twice.
            case
                when not coalesce(
                    list_has_any(told.shown, [phrases.phrase, 'distinct ' || phrases.phrase, 'percentage: ' || phrases.phrase]),
                    false
                )
                    then 'show ' || phrases.phrase
            end,
            told.parts,
            told.relations
        ) as description,
        'template' as made_by,
    from scripts
    left join phrases
        on scripts.schema_benchmark = phrases.benchmark
        and scripts.db_id = phrases.db_id
        and {{ shown_skeleton('scripts.full_skeleton') }} = phrases.skeleton
    left join told
        on scripts.history = told.history
        and scripts.history_query_id = told.history_query_id

),

chosen as (

    select
        history,
        db_id,
        history_query_id,
        coalesce(name, description) as name,
        aliases,
        description,
        made_by,
    from modelled
    union all
    select * from described
    where
        description <> ''
        and (history, history_query_id) not in (
            select (modelled.history, modelled.history_query_id) from modelled
        )

)

select * from chosen
