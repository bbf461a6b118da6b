with

rankings as (

    select * from {{ ref('table_rankings') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

required_tables as (

    select * from {{ ref('required_tables') }}

),

labelled as (

    select * from {{ ref('collision_strata') }}
    where is_labelled

),

numbered as (

    select
        rankings.benchmark,
        rankings.question_id,
        rankings.ranker,
        rankings.table_rank,
        pool.table_number,
        required_tables.table_number is not null as is_required,
    from rankings
    inner join pool
        on rankings.benchmark = pool.benchmark
        and rankings.db_id = pool.db_id
        and rankings.table_key = pool.table_key
    left join required_tables
        on rankings.benchmark = required_tables.benchmark
        and rankings.question_id = required_tables.question_id
        and pool.table_number = required_tables.table_number

),

ordered as (

    select
        benchmark,
        question_id,
        ranker,
        list(table_number order by table_rank) as table_numbers,
        coalesce(list(table_number order by table_rank) filter (where is_required), []) as required_numbers,
        coalesce(list(table_number order by table_rank) filter (where not is_required), []) as other_numbers,
    from numbered
    group by benchmark, question_id, ranker

),

orders as (

    select
        benchmark,
        question_id,
        ranker,
        'ranked' as packing_order,
        0 as n_required,
        table_numbers,
    from ordered

    union all

    select
        ordered.benchmark,
        ordered.question_id,
        ordered.ranker,
        'required_first' as packing_order,
        len(ordered.required_numbers) as n_required,
        list_concat(ordered.required_numbers, ordered.other_numbers) as table_numbers,
    from ordered
    semi join labelled
        on ordered.benchmark = labelled.benchmark
        and ordered.question_id = labelled.question_id

    union all

    select
        ordered.benchmark,
        ordered.question_id,
        ordered.ranker,
        'required_removed' as packing_order,
        0 as n_required,
        ordered.other_numbers as table_numbers,
    from ordered
    semi join labelled
        on ordered.benchmark = labelled.benchmark
        and ordered.question_id = labelled.question_id

),

keyed as (

    select
        row_number() over (order by benchmark, question_id, ranker, packing_order)::integer as order_number,
        benchmark,
        question_id,
        ranker,
        packing_order,
        n_required::integer as n_required,
        table_numbers,
    from orders

)

select * from keyed
