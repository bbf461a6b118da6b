with

required_tables as (

    select * from {{ ref('required_tables') }}

),

mentions as (

    select * from {{ ref('name_mentions') }}
    where is_taken_away

),

lines as (

    select * from {{ ref('table_lines') }}

),

touched as (

    -- Lines that lead to a table which the question requires, in tables that it does not.
    select distinct
        removed.benchmark,
        removed.question_id,
        mentions.db_id,
        mentions.table_key,
        mentions.representation,
        mentions.line_number,
    from required_tables as removed
    inner join mentions
        on removed.benchmark = mentions.benchmark
        and removed.db_id = mentions.mentioned_db_id
        and removed.table_key = mentions.mentioned_table_key
    anti join required_tables as others
        on removed.benchmark = others.benchmark
        and removed.question_id = others.question_id
        and mentions.db_id = others.db_id
        and mentions.table_key = others.table_key

),

changed as (

    select distinct
        benchmark,
        question_id,
        db_id,
        table_key,
        representation,
    from touched

),

kept as (

    select
        changed.benchmark,
        changed.question_id,
        changed.db_id,
        changed.table_key,
        changed.representation,
        lines.naming,
        lines.line_number,
        touched.line_number is not null and lines.part = 'foreign_key' as is_key_removed,
        touched.line_number is not null and lines.part <> 'foreign_key' as is_comment_removed,
        lines.line,
        lines.code,
        lines.n_tokens,
        lines.n_code_tokens,
    from changed
    inner join lines
        on changed.benchmark = lines.benchmark
        and changed.db_id = lines.db_id
        and changed.table_key = lines.table_key
        and changed.representation = lines.representation
    left join touched
        on changed.benchmark = touched.benchmark
        and changed.question_id = touched.question_id
        and changed.db_id = touched.db_id
        and changed.table_key = touched.table_key
        and changed.representation = touched.representation
        and lines.line_number = touched.line_number

),

texts as (

    select
        benchmark,
        question_id,
        db_id,
        table_key,
        representation,
        naming,
        string_agg(if(is_comment_removed, code, line), chr(10) order by line_number)
            filter (where not is_key_removed) as text,
        sum(if(is_comment_removed, n_code_tokens, n_tokens)) filter (where not is_key_removed)::integer as n_tokens,
        count(*) filter (where is_key_removed) as n_removed_keys,
        count(*) filter (where is_comment_removed) as n_removed_comments,
    from kept
    group by benchmark, question_id, db_id, table_key, representation, naming

)

select * from texts
