with

drafts as (

    select * from {{ ref('task_drafts') }}

),

runnable as (

    select distinct
        statement_id,
        engine,
        snapshot_id,
        database_path,
        connection,
        search_path,
        schema_benchmark as benchmark,
        db_id,
        sql_id,
        dialect,
        sql,
    from drafts
    where statement_id is not null

)

select * from runnable
