-- What is handed to `glue execute` says what to run, by which engine and where.
select
    statement_id,
    engine,
    database_path,
from {{ ref('pending_statements') }}
where
    statement_id is null
    or engine is null
    or snapshot_id is null
    or database_path is null
    or sql is null
