with

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

components as (

    select * from {{ ref('component_phrases') }}

),

phrases as (

    select * from {{ ref('skeleton_phrases') }}

),

modelled as (

    -- What was described may since be left out.
    select described_history.* from {{ ref('described_history') }} as described_history
    semi join scripts
        on described_history.history = scripts.history
        and described_history.history_query_id = scripts.history_query_id
    where described_history.component_number = 0

),

told as (

    select
        history,
        history_query_id,
        list(template_phrase) as phrases,
        string_agg(template_phrase, '; ' order by component_number)
            filter (where knowledge_type <> 'relation') as parts,
        string_agg(template_phrase, '; ' order by component_number) as all_parts,
    from (
        select * from components
        qualify row_number() over (
            partition by history, history_query_id, template_phrase
            order by component_number
        ) = 1
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
        -- What a calculation or DISTINCT tells is not told twice; the tables stand beside the columns.
        coalesce(
            nullif(concat_ws(
                '; ',
                case
                    when len(list_filter(
                            coalesce(told.phrases, []), lambda part: contains(part, phrases.phrase)
                        )) = 0
                        then phrases.phrase
                end,
                told.parts
            ), ''),
            told.all_parts
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
