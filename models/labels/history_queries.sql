with

logged as (

    select * from {{ ref('logged_queries') }}

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

readings as (

    select * from {{ ref('component_readings') }}

),

filters as (

    select * from {{ ref('history_filters') }}

),

read as (

    select
        logged.*,
        outlines.outline_id,
        readings.reading_id,
        readings.reason,
        readings.full_skeleton,
        coalesce(len(readings.components), 0) as n_components,
        coalesce(logged.dialect <> logged.database_dialect, false) as is_translated,
    from logged
    left join outlines
        on logged.schema_benchmark = outlines.benchmark
        and logged.db_id = outlines.db_id
    left join readings
        on logged.sql_id = readings.sql_id
        and outlines.outline_id = readings.outline_id

),

translated as (

    -- An example must be in the dialect that its reader will write.
    select
        history,
        history_query_id,
        sql_in_dialect(sql, dialect, database_dialect) as sql,
    from read
    where
        is_translated
        and n_components > 0

),

worded as (

    select
        read.* exclude (sql),
        read.sql as logged_sql,
        if(read.is_translated, translated.sql, read.sql) as sql,
    from read
    left join translated
        on read.history = translated.history
        and read.history_query_id = translated.history_query_id

),

found as (

    select
        *,
        list_filter(
            [
                if(sql_id is null or reason = 'empty', 'empty', null),
                if(outline_id is null, 'unknown_database', null),
                if(outcome = 'failed', 'failed', null),
                if(n_components = 0 and coalesce(reason, '') <> 'not_a_query', 'unparsed', null),
                if(n_components = 0 and coalesce(reason, '') = 'not_a_query', 'not_a_read', null),
                if(is_translated and sql is null, 'other_dialect', null),
            ],
            lambda status: status is not null
        ) as statuses,
    from worded

),

faults as (

    select
        found.history,
        found.history_query_id,
        arg_min(filters.status, filters.position) as status,
    from found
    inner join filters
        on list_contains(found.statuses, filters.status)
        and if(found.history_kind = 'log', filters.is_for_logs, filters.is_for_benchmarks)
    group by found.history, found.history_query_id

),

judged as (

    select
        found.* exclude (statuses),
        faults.status,
        -- Queries that differ in nothing but values are twins.
        if(
            faults.status is null and if(found.history_kind = 'log', filters.is_for_logs, filters.is_for_benchmarks),
            coalesce(found.full_skeleton, found.history_query_id),
            found.history_query_id
        ) as twins_key,
    from found
    left join faults
        on found.history = faults.history
        and found.history_query_id = faults.history_query_id
    left join filters on filters.status = 'duplicate'

),

grouped as (

    select
        *,
        status is null as is_usable,
        first_value(history_query_id) over twins as twin_id,
        first_value(executed_at) over twins as known_since,
        count(*) over (partition by history, db_id, status, twins_key) as n_twins,
    from judged
    -- The twin that was known first is kept: text and question of a later one would tell of what came after.
    window twins as (
        partition by history, db_id, status, twins_key
        order by executed_at asc nulls first, query_position asc, history_query_id asc
    )

),

decided as (

    select
        history,
        history_kind,
        history_query_id,
        query_position,
        schema_benchmark,
        db_id,
        sql,
        database_dialect as dialect,
        logged_sql,
        dialect as logged_dialect,
        is_translated,
        sql_id,
        question,
        executed_at,
        known_since,
        outcome,
        error,
        case
            when not is_usable then status
            when twin_id <> history_query_id then 'duplicate'
            else 'kept'
        end as status,
        case when is_usable then twin_id end as kept_query_id,
        if(is_usable and twin_id = history_query_id, n_twins - 1, 0) as n_duplicates,
        reading_id,
        full_skeleton,
    from grouped

)

select * from decided
