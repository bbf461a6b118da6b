with

texts as (

    select * from {{ ref('namespaced_texts') }}

),

places as (

    select * from {{ ref('table_places') }}

),

pooled_tables as (

    select * from {{ ref('pooled_tables') }}

),

names as (

    select
        texts.text_id,
        texts.benchmark,
        texts.naming,
        coalesce(texts.db_id, '') as scope,
        places.parse_outcome,
        unnest(places.names) as name,
    from texts
    inner join places on texts.sql_id = places.sql_id

),

known as (

    select
        benchmark,
        'own' as naming,
        db_id as scope,
        table_key as name,
        *,
    from pooled_tables

    union all

    select
        benchmark,
        'prefixed' as naming,
        '' as scope,
        lower(prefixed_name) as name,
        *,
    from pooled_tables

    union all

    select
        benchmark,
        'bare' as naming,
        '' as scope,
        lower(bare_name) as name,
        *,
    from pooled_tables

),

read as (

    select
        names.text_id,
        names.benchmark,
        names.name,
        known.db_id,
        known.table_key,
        known.prefixed_name,
        known.bare_name,
    from names
    left join known
        on names.benchmark = known.benchmark
        and names.naming = known.naming
        and names.scope = known.scope
        and names.name = known.name
    -- Of a text that does not parse any word may be a table: those that are one count.
    where names.parse_outcome = 'parsed' or known.table_key is not null

)

select * from read
