with

described as (

    select * from {{ ref('stg_databases') }}

),

imports as (

    select * from {{ ref('stg_imports') }}

),

ranked as (

    -- Of several descriptions of one database the newest with data gives engine, place and snapshot.
    select
        described.benchmark,
        described.db_id,
        described.engine,
        described.path as database_path,
        described.snapshot_id,
        described.n_bytes,
        described.connection,
        described.search_path,
        described.schema_id,
        described.tier,
        row_number() over (
            partition by described.benchmark, described.db_id
            order by (described.snapshot_id is not null) desc, imports.imported_at desc, described.import_id asc
        ) as preference,
    from described
    inner join imports on described.import_id = imports.import_id

),

chosen as (

    select
        benchmark,
        db_id,
        engine,
        database_path,
        snapshot_id,
        n_bytes,
        connection,
        search_path,
        schema_id,
        tier,
        snapshot_id is not null as has_data,
        connection is not null as is_live,
    from ranked
    where preference = 1

)

select * from chosen
