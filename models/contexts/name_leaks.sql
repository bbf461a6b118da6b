with

required_tables as (

    select * from {{ ref('required_tables') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

table_texts as (

    select * from {{ ref('table_texts') }}

),

removal_texts as (

    select * from {{ ref('removal_texts') }}

),

removed as (

    select
        required_tables.benchmark,
        required_tables.question_id,
        required_tables.db_id,
        required_tables.table_key,
        lower(pool.prefixed_name) as prefixed_key,
        lower(pool.bare_name) as bare_key,
        {{ spaced_words('pool.prefixed_name') }} as prefixed_words,
        {{ spaced_words('required_tables.db_id') }} as db_words,
        {{ spaced_words('required_tables.table_key') }} as table_words,
    from required_tables
    inner join pool
        on required_tables.benchmark = pool.benchmark
        and required_tables.db_id = pool.db_id
        and required_tables.table_key = pool.table_key

),

removable as (

    select distinct * exclude (question_id) from removed

),

shown as (

    select benchmark, db_id, naming, text from table_texts
    union
    select benchmark, db_id, naming, text from removal_texts

),

shown_lines as (

    -- As they are shown, whatever they were made of. A name of a column cannot be taken away: what stands outside keys
    -- and comments is not searched.
    select
        *,
        unnest(string_split(text, chr(10))) as line,
    from shown

),

searchable as (

    select distinct
        benchmark,
        db_id,
        naming,
        line,
        replace(
            trim(regexp_extract(lower(line), '^ +foreign key .* references ("(?:[^"]|"")*"|[^ ,]+)', 1), '"'), '""', '"'
        ) as referenced_key,
        {{ comment_words("regexp_extract(line, '  -- (.*)$', 1)") }} as said,
    from shown_lines
    where contains(line, '  -- ') or contains(line, ' REFERENCES ')

),

searched as (

    -- Every line, beside every table that some question requires.
    select
        searchable.benchmark,
        searchable.db_id,
        searchable.naming,
        searchable.line,
        removable.db_id as removed_db_id,
        removable.table_key as removed_table_key,
        searchable.referenced_key = if(searchable.naming = 'prefixed', removable.prefixed_key, removable.bare_key)
            as has_foreign_key,
        contains(searchable.said.words, removable.prefixed_words) as has_prefixed_name,
        contains(searchable.said.dotted_words, rtrim(removable.db_words) || '.' || ltrim(removable.table_words))
        or contains(
            searchable.said.dotted_words, rtrim(removable.db_words) || '.' || trim(removable.table_words) || '.'
        )
        or (
            searchable.db_id = removable.db_id
            and contains(searchable.said.dotted_words, rtrim(removable.table_words) || '.')
        ) as has_qualified_name,
        searchable.db_id = removable.db_id
        and searchable.said.is_key_comment
        and contains(searchable.said.words, removable.table_words) as has_key_comment,
    from searchable
    inner join removable
        on searchable.benchmark = removable.benchmark
        and (
            contains(searchable.said.words, trim(removable.table_words))
            or searchable.referenced_key in (removable.prefixed_key, removable.bare_key)
        )

),

found as (

    select
        shown_lines.benchmark,
        shown_lines.db_id,
        shown_lines.naming,
        shown_lines.text,
        searched.removed_db_id,
        searched.removed_table_key,
        {% for flag in ['has_foreign_key', 'has_prefixed_name', 'has_qualified_name', 'has_key_comment'] -%}
        bool_or(searched.{{ flag }}) as {{ flag }},
        {% endfor -%}
    from shown_lines
    inner join searched
        on shown_lines.benchmark = searched.benchmark
        and shown_lines.db_id = searched.db_id
        and shown_lines.naming = searched.naming
        and shown_lines.line = searched.line
    where
        searched.has_foreign_key
        or searched.has_prefixed_name
        or searched.has_qualified_name
        or searched.has_key_comment
    group by
        shown_lines.benchmark,
        shown_lines.db_id,
        shown_lines.naming,
        shown_lines.text,
        searched.removed_db_id,
        searched.removed_table_key

),

unchanged as (

    -- A table's own text counts where the question has changed none of it, and has not taken the table away.
    select
        removed.benchmark,
        removed.question_id,
        table_texts.db_id,
        table_texts.table_key,
        table_texts.representation,
        table_texts.naming,
        found.* exclude (benchmark, db_id, naming, text),
    from found
    inner join table_texts
        on found.benchmark = table_texts.benchmark
        and found.db_id = table_texts.db_id
        and found.naming = table_texts.naming
        and found.text = table_texts.text
    inner join removed
        on found.benchmark = removed.benchmark
        and found.removed_db_id = removed.db_id
        and found.removed_table_key = removed.table_key
    anti join removal_texts
        on removed.benchmark = removal_texts.benchmark
        and removed.question_id = removal_texts.question_id
        and table_texts.db_id = removal_texts.db_id
        and table_texts.table_key = removal_texts.table_key
        and table_texts.representation = removal_texts.representation
        and table_texts.naming = removal_texts.naming
    anti join removed as others
        on removed.benchmark = others.benchmark
        and removed.question_id = others.question_id
        and table_texts.db_id = others.db_id
        and table_texts.table_key = others.table_key

),

still_there as (

    select
        removed.benchmark,
        removed.question_id,
        removal_texts.db_id,
        removal_texts.table_key,
        removal_texts.representation,
        removal_texts.naming,
        found.* exclude (benchmark, db_id, naming, text),
    from found
    inner join removal_texts
        on found.benchmark = removal_texts.benchmark
        and found.db_id = removal_texts.db_id
        and found.naming = removal_texts.naming
        and found.text = removal_texts.text
    inner join removed
        on found.benchmark = removed.benchmark
        and found.removed_db_id = removed.db_id
        and found.removed_table_key = removed.table_key
        and removal_texts.question_id = removed.question_id

),

leaks as (

    select * from unchanged
    union all
    select * from still_there

)

select * from leaks
