with

required_tables as (

    select
        benchmark,
        question_id,
        db_id,
        table_key,
    from {{ ref('gold_tables') }}
    where gold_edition = 'benchmark' and gold_number = 1

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

packings as (

    select * from {{ ref('packings') }}

),

required as (

    select
        required_tables.benchmark,
        required_tables.question_id,
        list(pool.table_number order by pool.table_number) as table_numbers,
    from required_tables
    inner join pool
        on required_tables.benchmark = pool.benchmark
        and required_tables.db_id = pool.db_id
        and required_tables.table_key = pool.table_key
    group by required_tables.benchmark, required_tables.question_id

),

counted as (

    select
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition,
        packings.is_infeasible,
        len(required.table_numbers)::integer as n_required,
        len(list_intersect(required.table_numbers, packings.table_numbers))::integer as n_packed_required,
    from packings
    inner join required
        on packings.benchmark = required.benchmark
        and packings.question_id = required.question_id

),

recalled as (

    select
        *,
        n_packed_required / n_required as recall,
        n_packed_required = n_required as is_fully_covered,
    from counted

)

select * from recalled
