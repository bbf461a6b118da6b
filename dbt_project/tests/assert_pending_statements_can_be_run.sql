-- What is handed to `glue execute` says what to run, by which engine and where: in a file, over a connection, or in a
-- union whose databases are handed over beside it.
select
    statement_id,
    engine,
    database_path,
from {{ ref('pending_statements') }}
where
    statement_id is null
    or engine is null
    or snapshot_id is null
    or (database_path is null and connection is null and not ends_with(engine, '_union'))
    or (connection is not null and (database_path is not null or search_path is null))
    or (
        ends_with(engine, '_union')
        and snapshot_id not in (select members.union_id from {{ ref('union_members') }} as members)
    )
    or sql is null
