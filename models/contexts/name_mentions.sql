with

removable as (

    -- What some question requires can be taken away from it.
    select distinct
        required_tables.benchmark,
        required_tables.db_id,
        required_tables.table_key,
        {{ spaced_words('pool.prefixed_name') }} as prefixed_words,
        {{ spaced_words('required_tables.db_id') }} as db_words,
        {{ spaced_words('required_tables.table_key') }} as table_words,
    from {{ ref('required_tables') }} as required_tables
    inner join {{ ref('pooled_tables') }} as pool
        on required_tables.benchmark = pool.benchmark
        and required_tables.db_id = pool.db_id
        and required_tables.table_key = pool.table_key

),

lines as (

    -- Both namings say the same.
    select
        *,
        {{ comment_words('comment') }} as said,
    from {{ ref('table_lines') }}
    where naming = 'prefixed'

),

keys as (

    select
        lines.benchmark,
        lines.db_id,
        lines.table_key,
        lines.representation,
        lines.line_number,
        removable.db_id as mentioned_db_id,
        removable.table_key as mentioned_table_key,
        'foreign_key' as kind,
    from lines
    inner join removable
        on lines.benchmark = removable.benchmark
        and lines.db_id = removable.db_id
        and lines.referenced_table_key = removable.table_key
    where lines.table_key <> lines.referenced_table_key

),

comments as (

    select
        lines.benchmark,
        lines.db_id,
        lines.table_key,
        lines.representation,
        lines.line_number,
        removable.db_id as mentioned_db_id,
        removable.table_key as mentioned_table_key,
        case
            when contains(lines.said.words, removable.prefixed_words) then 'prefixed_name'
            when contains(lines.said.dotted_words, rtrim(removable.db_words) || '.' || ltrim(removable.table_words))
                or contains(
                    lines.said.dotted_words, rtrim(removable.db_words) || '.' || trim(removable.table_words) || '.'
                )
                or (
                    lines.db_id = removable.db_id
                    and contains(lines.said.dotted_words, rtrim(removable.table_words) || '.')
                )
                then 'qualified_name'
            when not contains(lines.said.words, removable.table_words) then null
            -- A key comment names the table that a key leads to.
            when lines.db_id = removable.db_id and lines.said.is_key_comment then 'key_comment'
            else 'bare_name'
        end as kind,
    from lines
    inner join removable
        on lines.benchmark = removable.benchmark
        and contains(lines.said.words, trim(removable.table_words))
    where lines.db_id <> removable.db_id or lines.table_key <> removable.table_key

),

mentions as (

    select
        *,
        kind <> 'bare_name' as is_taken_away,
    from keys

    union all

    select
        *,
        kind <> 'bare_name' as is_taken_away,
    from comments
    where kind is not null

)

select * from mentions
