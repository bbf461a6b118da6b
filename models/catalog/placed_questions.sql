with

asked as (

    select * from {{ ref('stg_questions') }}

),

databases as (

    select * from {{ ref('databases') }}

),

engines as (

    select * from {{ ref('engines') }}

),

placed as (

    select
        asked.benchmark,
        asked.question_id,
        asked.question_position,
        asked.source_question_id,
        asked.db_id,
        asked.question,
        asked.evidence,
        asked.difficulty,
        coalesce(asked.dialect, engines.dialect) as dialect,
        asked.is_ordered,
        asked.intent,
        asked.domain,
        asked.subdomain,
        asked.language,
        asked.document_ids,
        asked.category_group,
        asked.category,
        coalesce(asked.is_sd_probe, false) as is_sd_probe,
        asked.base_benchmark,
        databases.engine,
        engines.dialect as engine_dialect,
        databases.snapshot_id,
        databases.database_path,
        databases.connection,
        databases.search_path,
        databases.schema_id,
        databases.tier,
        coalesce(databases.has_data, false) as has_database,
        coalesce(databases.is_live, false) as is_live,
    from asked
    left join databases
        on asked.benchmark = databases.benchmark
        and asked.db_id = databases.db_id
    left join engines on databases.engine = engines.engine

)

select * from placed
