with

answers as (

    select * from {{ ref('task_answers') }}
    where purpose in ('generate_task', 'fix_task')

),

databases as (

    select * from {{ ref('databases') }}

),

engines as (

    select * from {{ ref('engines') }}

),

unwrapped as (

    -- {"task": {…}} as asked for, or its inside alone. What is no text is no question and no SQL.
    select
        *,
        coalesce(
            case when json_type(answer, '$.task') = 'OBJECT' then try(answer -> '$.task') end,
            try(answer::json)
        ) as task,
    from answers

),

picked as (

    select
        * exclude (task),
        case when json_type(task, '$.question') = 'VARCHAR'
            then {{ one_line("try(task ->> '$.question')") }} end as question,
        case when json_type(task, '$.evidence') = 'VARCHAR'
            then {{ one_line("try(task ->> '$.evidence')") }} end as evidence,
        case when json_type(task, '$.sql') = 'VARCHAR'
            then extract_sql(coalesce(try(task ->> '$.sql'), '')).sql end as sql,
        case when json_type(task, '$.used_queries') = 'ARRAY'
            then list_distinct(try_cast(task ->> '$.used_queries' as bigint[])) end as used_numbers,
    from unwrapped

),

told as (

    select
        * exclude (reason, used_numbers),
        case
            when reason is not null then reason
            when question is null then 'no_question'
            when sql is null then 'no_sql'
            when used_numbers is null then 'no_queries'
        end as reason,
        list_sort(coalesce(used_numbers, [])) as used_numbers,
        list_transform(
            list_sort(list_filter(coalesce(used_numbers, []), lambda number: number between 1 and len(history_query_ids))),
            lambda number: history_query_ids[number]
        ) as used_query_ids,
    from picked

),

keyed as (

    select
        told.task_run_id,
        told.benchmark,
        told.draft_number,
        told.revision,
        told.purpose,
        told.request_id,
        told.messages,
        told.response_text,
        told.schema_benchmark,
        told.history,
        told.db_id,
        told.history_query_ids,
        told.reason is null as is_read,
        told.reason,
        told.used_numbers,
        told.used_query_ids,
        told.question,
        told.evidence,
        told.sql,
        engines.dialect,
        databases.engine,
        databases.snapshot_id,
        databases.database_path,
        databases.connection,
        databases.search_path,
        case when told.sql is not null then {{ sql_id('engines.dialect', 'told.sql') }} end as sql_id,
        case when told.reason is null and databases.has_data
            then {{ statement_id('databases.engine', 'databases.snapshot_id', 'told.sql') }} end as statement_id,
    from told
    left join databases
        on told.schema_benchmark = databases.benchmark
        and told.db_id = databases.db_id
    left join engines on databases.engine = engines.engine

)

select * from keyed
