with

packings as (

    select * from {{ ref('packings') }}
    where packing_order = 'required_removed'

),

required_tables as (

    select * from {{ ref('required_tables') }}

),

mentions as (

    select * from {{ ref('name_mentions') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

mentioning as (

    -- A line's comment that is taken away for one of the required tables leaks none of the others.
    select
        removed.benchmark,
        removed.question_id,
        mentions.representation,
        mentions.db_id,
        mentions.table_key,
        mentions.line_number,
        list(removed.table_number) as mentioned_numbers,
        bool_or(mentions.db_id = removed.db_id) as is_own_database,
    from required_tables as removed
    inner join mentions
        on removed.benchmark = mentions.benchmark
        and removed.db_id = mentions.mentioned_db_id
        and removed.table_key = mentions.mentioned_table_key
    group by
        removed.benchmark,
        removed.question_id,
        mentions.representation,
        mentions.db_id,
        mentions.table_key,
        mentions.line_number
    having not bool_or(mentions.is_taken_away)

),

by_table as (

    select
        mentioning.benchmark,
        mentioning.question_id,
        mentioning.representation,
        pool.table_number,
        count(*) as n_lines,
        count(*) filter (where mentioning.is_own_database) as n_own_lines,
        list_distinct(flatten(list(mentioning.mentioned_numbers))) as mentioned_numbers,
    from mentioning
    inner join pool
        on mentioning.benchmark = pool.benchmark
        and mentioning.db_id = pool.db_id
        and mentioning.table_key = pool.table_key
    group by mentioning.benchmark, mentioning.question_id, mentioning.representation, pool.table_number

),

leaking as (

    select
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition,
        sum(by_table.n_lines)::integer as n_lexical_leaks,
        sum(by_table.n_own_lines)::integer as n_own_database_leaks,
        len(list_distinct(flatten(list(by_table.mentioned_numbers))))::integer as n_leaked_tables,
    from packings
    inner join by_table
        on packings.benchmark = by_table.benchmark
        and packings.question_id = by_table.question_id
        and packings.representation = by_table.representation
        and list_contains(packings.table_numbers, by_table.table_number)
    group by
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition

),

counted as (

    select
        packings.benchmark,
        packings.question_id,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition,
        coalesce(leaking.n_lexical_leaks, 0) as n_lexical_leaks,
        coalesce(leaking.n_own_database_leaks, 0) as n_own_database_leaks,
        coalesce(leaking.n_leaked_tables, 0) as n_leaked_tables,
    from packings
    left join leaking
        on packings.benchmark = leaking.benchmark
        and packings.question_id = leaking.question_id
        and packings.ranker = leaking.ranker
        and packings.representation = leaking.representation
        and packings.budget = leaking.budget
        and packings.condition = leaking.condition

)

select * from counted
