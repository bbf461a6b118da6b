with

components as (

    select * from {{ ref('script_components') }}
    where knowledge_type <> 'full_sql'

),

queries as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

descriptions as (

    select * from {{ ref('item_descriptions') }}

),

told as (

    -- Of the item in the query itself: the other queries that hold it may be a task's own, or later than a task.
    select * from {{ ref('described_history') }}
    where item_id is not null
    qualify row_number() over (
        partition by history, history_query_id, item_id
        order by component_number
    ) = 1

),

once as (

    -- An item that a query holds twice is one line, where it stands first.
    select
        components.history,
        components.db_id,
        components.history_query_id,
        components.item_id,
        arg_min(components.knowledge_type, components.component_number) as knowledge_type,
        arg_min(components.sql_substring, components.component_number) as sql_substring,
        min(components.component_number) as first_number,
    from components
    group by components.history, components.db_id, components.history_query_id, components.item_id

),

numbered as (

    select
        once.history,
        once.db_id,
        once.history_query_id,
        row_number() over (
            partition by once.history, once.history_query_id
            order by once.first_number, once.item_id
        )::integer as component_number,
        once.item_id,
        once.knowledge_type,
        {{ one_line('once.sql_substring') }} as sql_text,
        coalesce(told.name, told.description, descriptions.name) as name,
        coalesce(told.description, descriptions.description) as description,
    from once
    inner join queries
        on once.history = queries.history
        and once.history_query_id = queries.history_query_id
    left join told
        on once.history = told.history
        and once.history_query_id = told.history_query_id
        and once.item_id = told.item_id
    left join descriptions
        on once.history = descriptions.history
        and once.db_id = descriptions.db_id
        and once.item_id = descriptions.item_id

)

select * from numbered
