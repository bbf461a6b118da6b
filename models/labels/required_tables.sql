with

gold_tables as (

    select * from {{ ref('gold_tables') }}
    where gold_edition = 'benchmark' and gold_number = 1

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

required as (

    select
        gold_tables.benchmark,
        gold_tables.question_id,
        gold_tables.db_id,
        gold_tables.table_key,
        pool.table_number,
        pool.is_colliding,
    from gold_tables
    inner join pool
        on gold_tables.benchmark = pool.benchmark
        and gold_tables.db_id = pool.db_id
        and gold_tables.table_key = pool.table_key

)

select * from required
