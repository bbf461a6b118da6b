with

removable as (

    -- What some question requires can be taken away from it.
    select distinct
        required_tables.benchmark,
        required_tables.db_id,
        required_tables.table_key,
        {{ spaced_words('pool.prefixed_name') }} as prefixed_words,
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
        {{ spaced_words('comment') }} as comment_words,
        -- Words as above, but those that a dot joins stay together, with their quotes gone.
        ' ' || regexp_replace(
            regexp_replace(regexp_replace(lower(comment), '["`\[\]]', '', 'g'), '[^\p{L}\p{N}_.]+', ' ', 'g'),
            '\.( |$)', ' ', 'g'
        ) || ' ' as dotted_words,
        regexp_matches(lower(comment), '\bforeign key\b|\b(refer|link|join)') as is_key_comment,
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
            when contains(lines.comment_words, removable.prefixed_words) then 'prefixed_name'
            when contains(lines.dotted_words, ' ' || lower(removable.db_id) || '.' || ltrim(removable.table_words))
                or contains(
                    lines.dotted_words, ' ' || lower(removable.db_id) || '.' || trim(removable.table_words) || '.'
                )
                or (lines.db_id = removable.db_id and contains(lines.dotted_words, rtrim(removable.table_words) || '.'))
                then 'qualified_name'
            when not contains(lines.comment_words, removable.table_words) then null
            -- A key comment names the table that a key leads to.
            when lines.db_id = removable.db_id and lines.is_key_comment then 'key_comment'
            else 'bare_name'
        end as kind,
    from lines
    inner join removable
        on lines.benchmark = removable.benchmark
        and contains(lines.comment_words, trim(removable.table_words))
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
