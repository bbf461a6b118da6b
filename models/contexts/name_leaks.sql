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
    from required_tables
    inner join pool
        on required_tables.benchmark = pool.benchmark
        and required_tables.db_id = pool.db_id
        and required_tables.table_key = pool.table_key

),

removable as (

    select distinct * exclude (question_id) from removed

),

plain as (

    -- As most tables stand, whatever is asked, beside every table that some question requires.
    select
        table_texts.db_id,
        table_texts.naming,
        lower(table_texts.text) as text_key,
        removable.benchmark,
        removable.db_id as removed_db_id,
        removable.table_key as removed_table_key,
        removable.prefixed_key,
        removable.bare_key,
    from table_texts
    inner join removable
        on table_texts.benchmark = removable.benchmark
        and contains(lower(table_texts.text), removable.table_key)

),

changed as (

    select
        removal_texts.db_id,
        removal_texts.naming,
        lower(removal_texts.text) as text_key,
        removed.benchmark,
        removed.db_id as removed_db_id,
        removed.table_key as removed_table_key,
        removed.prefixed_key,
        removed.bare_key,
    from removal_texts
    inner join removed
        on removal_texts.benchmark = removed.benchmark
        and removal_texts.question_id = removed.question_id
        and contains(lower(removal_texts.text), removed.table_key)

),

pairs as (

    select * from plain
    union
    select * from changed

),

searched as (

    -- In the texts as they are shown, whatever they were made of.
    select
        * exclude (prefixed_key, bare_key),
        regexp_matches(
            text_key,
            '\n +foreign key [^\n]* references "?'
            || regexp_escape(if(naming = 'prefixed', prefixed_key, bare_key)) || '"?[ ,]'
        ) as has_foreign_key,
        contains(text_key, prefixed_key)
        and regexp_matches(text_key, '(^|\W)' || regexp_escape(prefixed_key) || '(\W|$)') as has_prefixed_name,
        (
            contains(text_key, lower(removed_db_id) || '.')
            and regexp_matches(
                text_key,
                '(^|\W)' || regexp_escape(lower(removed_db_id)) || '\.'
                || regexp_escape(removed_table_key) || '(\W|$)'
            )
        )
        or (
            db_id = removed_db_id
            and regexp_matches(text_key, '(^|\W)' || regexp_escape(removed_table_key) || '["`\]]?\.["`\[]?\w')
        ) as has_qualified_name,
        db_id = removed_db_id
        and len(list_filter(
            regexp_extract_all(text_key, '  -- ([^\n]*)', 1),
            lambda comment: regexp_matches(comment, '\bforeign key\b|\b(refer|link|join)')
            and regexp_matches(comment, '(^|\W)' || regexp_escape(removed_table_key) || '(\W|$)')
        )) > 0 as has_key_comment,
    from pairs

),

found as (

    select * from searched
    where has_foreign_key or has_prefixed_name or has_qualified_name or has_key_comment

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
        found.* exclude (benchmark, db_id, naming, text_key),
    from found
    inner join table_texts
        on found.benchmark = table_texts.benchmark
        and found.db_id = table_texts.db_id
        and found.naming = table_texts.naming
        and found.text_key = lower(table_texts.text)
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
        found.* exclude (benchmark, db_id, naming, text_key),
    from found
    inner join removal_texts
        on found.benchmark = removal_texts.benchmark
        and found.db_id = removal_texts.db_id
        and found.naming = removal_texts.naming
        and found.text_key = lower(removal_texts.text)
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
