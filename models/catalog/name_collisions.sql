with

tables as (

    select * from {{ ref('pooled_tables') }}
    where is_colliding

),

shared as (

    select
        benchmark,
        table_key as name_key,
        count(*) as n_tables,
        list(db_id order by db_id) as db_ids,
        list(prefixed_name order by db_id) as prefixed_names,
        list(bare_name order by db_id) as bare_names,
    from tables
    group by benchmark, table_key

)

select * from shared
