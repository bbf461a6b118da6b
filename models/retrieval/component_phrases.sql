with

histories as (

    select distinct
        history,
        schema_benchmark,
    from {{ ref('history_benchmarks') }}

),

components as (

    select * from {{ ref('script_components') }}
    where knowledge_type <> 'full_sql'

),

phrases as (

    select * from {{ ref('skeleton_phrases') }}

),

modelled as (

    select * from {{ ref('described_history') }}
    where item_id is not null

),

valued as (

    select
        components.history,
        components.db_id,
        components.history_query_id,
        components.component_number,
        components.item_id,
        components.knowledge_type,
        regexp_replace(coalesce(phrases.phrase, components.skeleton), '(, a value\b| a value,)', '', 'g') as phrase,
        coalesce(phrases.table_names, []) as table_names,
        -- The values as written, apart from what stands in a quoted name; a format of times is none.
        nullif(left(array_to_string(
            list_transform(
                list_filter(
                    regexp_extract_all(
                        regexp_replace(components.sql_substring, '"[^"]*"|`[^`]*`|\[[^\]]*\]', '', 'g'),
                        '''[^'']*''|\b\d+(?:\.\d+)?\b'
                    ),
                    lambda literal: not regexp_full_match(literal, '''(%[A-Za-z]-?)+''')
                ),
                lambda literal: trim(literal, '''%')
            ), ', '
        ), 200), '') as literals,
    from components
    inner join histories on components.history = histories.history
    left join phrases
        on histories.schema_benchmark = phrases.benchmark
        and components.db_id = phrases.db_id
        and components.skeleton = phrases.skeleton

),

worded as (

    -- As short as a question would say it: what every condition or limit has in common tells them not apart.
    select
        *,
        case knowledge_type
            when 'condition'
                then concat_ws(
                    ' ',
                    literals,
                    regexp_replace(
                        phrase, ' (equals|is like|is above|is below|is at least|is at most|is not) a value\b', '', 'g'
                    )
                )
            when 'relation'
                then if(len(table_names) > 1, array_to_string(table_names, ' and '), phrase)
            when 'output'
                then regexp_replace(
                    regexp_replace(phrase, '^sorted by (.*?) descending only the first a value', 'highest \1'),
                    '^sorted by (.*?)( ascending)? only the first a value',
                    'lowest \1'
                )
            when 'calculation'
                then concat_ws(
                    ' ',
                    if(regexp_matches(phrase, '(times|divided by) .*(times|divided by)'), 'percentage:', null),
                    phrase,
                    literals
                )
            else phrase
        end as template_phrase,
    from valued

),

told as (

    select
        worded.history,
        worded.db_id,
        worded.history_query_id,
        worded.component_number,
        worded.item_id,
        worded.knowledge_type,
        worded.template_phrase,
        coalesce(
            nullif(
                concat_ws(
                    '. ', nullif(array_to_string([modelled.name] || modelled.aliases, ', '), ''), modelled.description
                ),
                ''
            ),
            worded.template_phrase
        ) as phrase,
        coalesce(modelled.made_by, 'template') as made_by,
    from worded
    left join modelled
        on worded.history = modelled.history
        and worded.history_query_id = modelled.history_query_id
        and worded.item_id = modelled.item_id
    -- A query may hold an item twice, and have it described twice.
    qualify row_number() over (
        partition by worded.history, worded.history_query_id, worded.component_number
        order by modelled.component_number asc
    ) = 1

)

select * from told
