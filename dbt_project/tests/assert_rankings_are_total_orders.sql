-- Every ranking holds each table of the pool once, at the places from 1 to their number.
with

pool as (

    select * from {{ ref('pooled_tables') }}

),

sizes as (

    select
        benchmark,
        count(*) as n_tables,
    from pool
    group by benchmark

),

rankings as (

    select
        rankings.benchmark,
        rankings.ranker,
        rankings.question_id,
        count(*) as n_rows,
        min(rankings.table_rank) as first_rank,
        max(rankings.table_rank) as last_rank,
        count(distinct rankings.table_rank) as n_ranks,
        count(distinct pool.table_number) as n_tables,
    from {{ ref('table_rankings') }} as rankings
    left join pool
        on rankings.benchmark = pool.benchmark
        and rankings.db_id = pool.db_id
        and rankings.table_key = pool.table_key
    group by rankings.benchmark, rankings.ranker, rankings.question_id

)

select rankings.*
from rankings
left join sizes on rankings.benchmark = sizes.benchmark
where
    (rankings.n_rows, rankings.first_rank, rankings.last_rank, rankings.n_ranks, rankings.n_tables)
    is distinct from (sizes.n_tables, 1, sizes.n_tables, sizes.n_tables, sizes.n_tables)
