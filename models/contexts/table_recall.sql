with

required_tables as (

    select * from {{ ref('required_tables') }}

),

packings as (

    select * from {{ ref('packings') }}

),

required as (

    select
        benchmark,
        question_id,
        list(table_number order by table_number) as table_numbers,
    from required_tables
    group by benchmark, question_id

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
