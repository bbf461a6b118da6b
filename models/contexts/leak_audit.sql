with

packings as (

    select * from {{ ref('packings') }}
    where packing_order = 'required_removed'

),

required_tables as (

    select * from {{ ref('required_tables') }}

),

name_leaks as (

    select * from {{ ref('name_leaks') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

removed as (

    select
        benchmark,
        question_id,
        list(table_number order by table_number) as removed_numbers,
    from required_tables
    group by benchmark, question_id

),

leaking as (

    select
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition,
        count(*) filter (where name_leaks.has_foreign_key) as n_foreign_keys,
        count(*) filter (where name_leaks.has_prefixed_name) as n_prefixed_names,
        count(*) filter (where name_leaks.has_qualified_name) as n_qualified_names,
        count(*) filter (where name_leaks.has_key_comment) as n_key_comments,
    from packings
    inner join name_leaks
        on packings.benchmark = name_leaks.benchmark
        and packings.question_id = name_leaks.question_id
        and packings.representation = name_leaks.representation
    inner join pool
        on name_leaks.benchmark = pool.benchmark
        and name_leaks.db_id = pool.db_id
        and name_leaks.table_key = pool.table_key
        and list_contains(packings.table_numbers, pool.table_number)
    group by
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition

),

audited as (

    select
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition,
        packings.n_tables,
        len(coalesce(removed.removed_numbers, [])) as n_removed_tables,
        len(list_intersect(packings.table_numbers, coalesce(removed.removed_numbers, []))) as n_tables_left,
        coalesce(leaking.n_foreign_keys, 0) as n_foreign_keys,
        coalesce(leaking.n_prefixed_names, 0) as n_prefixed_names,
        coalesce(leaking.n_qualified_names, 0) as n_qualified_names,
        coalesce(leaking.n_key_comments, 0) as n_key_comments,
    from packings
    left join removed
        on packings.benchmark = removed.benchmark
        and packings.question_id = removed.question_id
    left join leaking
        on packings.benchmark = leaking.benchmark
        and packings.question_id = leaking.question_id
        and packings.ranker = leaking.ranker
        and packings.representation = leaking.representation
        and packings.budget = leaking.budget
        and packings.condition = leaking.condition

),

judged as (

    select
        *,
        n_tables_left + n_foreign_keys + n_prefixed_names + n_qualified_names + n_key_comments = 0 as is_clean,
    from audited

)

select * from judged
