with

required as (

    select * from {{ ref('required_tables') }}

),

rankings as (

    select * from {{ ref('table_rankings') }}

),

placed as (

    select
        rankings.ranker,
        required.benchmark,
        required.question_id,
        required.db_id,
        required.table_key,
        rankings.table_rank,
        rankings.score,
    from required
    inner join rankings
        on required.benchmark = rankings.benchmark
        and required.question_id = rankings.question_id
        and required.db_id = rankings.db_id
        and required.table_key = rankings.table_key

)

select * from placed
