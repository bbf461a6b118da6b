with

tables as (

    select * from {{ ref('pooled_tables') }}

),

columns as (

    select * from {{ ref('pooled_columns') }}

),

column_clarity as (

    select * from {{ ref('column_clarity') }}

),

foreign_keys as (

    select * from {{ ref('foreign_keys') }}

),

representations as (

    select * from {{ ref('representations') }}

),

ordinary as (

    select list(word order by word) as words from {{ ref('short_words') }}

),

spelling as (

    -- Contexts are read under several dialects: names stand as the SQL standard spells them.
    select
        '[A-Za-z_][A-Za-z0-9_]*' as bare_name,
        '"' as open_quote,
        '"' as close_quote,
        list(word order by word) as reserved_words,
    from {{ ref('reserved_words') }}

),

spelled_tables as (

    select
        tables.benchmark,
        tables.db_id,
        tables.table_key,
        {{ quoted_name('tables.prefixed_name', 'spelling') }} as prefixed_name,
        {{ quoted_name('tables.bare_name', 'spelling') }} as bare_name,
        tables.table_name,
        {{ one_line('tables.natural_name') }} as natural_name,
        {{ one_line('tables.description') }} as description,
        tables.is_colliding,
        {{ name_terms('tables.table_name') }} as words,
        {{ name_terms("concat_ws(' ', tables.natural_name, tables.description)") }} as prose_words,
    from tables
    cross join spelling

),

judged_tables as (

    select
        spelled_tables.*,
        spelled_tables.is_colliding
        or len({{ abbreviated_words('spelled_tables.words', 'spelled_tables.prose_words', 'ordinary.words') }}) > 0
            as is_unclear,
    from spelled_tables
    cross join ordinary

),

spelled_columns as (

    select
        columns.benchmark,
        columns.db_id,
        columns.table_key,
        columns.column_key,
        columns.column_position,
        columns.column_name,
        {{ quoted_name('columns.column_name', 'spelling') }} as name,
        {{ one_line('columns.data_type') }} as data_type,
        {{ one_line('columns.natural_name') }} as natural_name,
        {{ one_line('columns.description') }} as description,
        {{ one_line('columns.value_description') }} as value_description,
        -- What is longer than a line of its own is no sample.
        nullif(array_to_string(
            list_filter(
                list_transform(columns.sample_values, lambda value: {{ one_line('value') }}),
                lambda value: len(value) <= 60
            ),
            ', '
        ), '') as sample_values,
        columns.is_primary_key,
        column_clarity.is_unclear,
    from columns
    inner join column_clarity
        on columns.benchmark = column_clarity.benchmark
        and columns.db_id = column_clarity.db_id
        and columns.table_key = column_clarity.table_key
        and columns.column_key = column_clarity.column_key
    cross join spelling

),

heads as (

    select
        benchmark,
        db_id,
        table_key,
        'head' as part,
        0 as place,
        '' as item,
        'CREATE TABLE ' || prefixed_name || ' (' as prefixed_code,
        'CREATE TABLE ' || bare_name || ' (' as bare_code,
        {{ said_of('table_name', 'natural_name', 'description') }} as meaning,
        null::varchar as values_told,
        is_unclear,
        null::varchar as referenced_table_key,
    from judged_tables

),

column_lines as (

    select
        benchmark,
        db_id,
        table_key,
        'column' as part,
        column_position as place,
        column_key as item,
        '    ' || concat_ws(' ', name, data_type) || ',' as code,
        {{ said_of('column_name', 'natural_name', 'description') }} as meaning,
        nullif(concat_ws('. ', 'Values: ' || rtrim(value_description, '.'), 'Examples: ' || sample_values), '')
            as values_told,
        is_unclear,
    from spelled_columns

),

primary_keys as (

    select
        benchmark,
        db_id,
        table_key,
        'primary_key' as part,
        0 as place,
        '' as item,
        '    PRIMARY KEY (' || string_agg(name, ', ' order by column_position) || '),' as code,
    from spelled_columns
    where is_primary_key
    group by benchmark, db_id, table_key

),

linked_columns as (

    select
        foreign_keys.benchmark,
        foreign_keys.db_id,
        foreign_keys.table_key,
        foreign_keys.column_key,
        foreign_keys.referenced_table_key,
        foreign_keys.key_name,
        coalesce(foreign_keys.key_position, 1) as key_position,
        {{ quoted_name('foreign_keys.column_name', 'spelling') }} as name,
        {{ quoted_name('foreign_keys.referenced_column', 'spelling') }} as referenced_name,
    from foreign_keys
    cross join spelling

),

linked as (

    select
        benchmark,
        db_id,
        table_key,
        referenced_table_key,
        string_agg(column_key, ',' order by key_position, column_key) || ' ' || key_name as item,
        string_agg(name, ', ' order by key_position, column_key) as names,
        coalesce(' (' || string_agg(referenced_name, ', ' order by key_position, column_key) || ')', '')
            as referenced_names,
    from linked_columns
    group by benchmark, db_id, table_key, referenced_table_key, key_name

),

foreign_key_lines as (

    -- A key to a table that the catalog does not have is no key of the pool.
    select
        linked.benchmark,
        linked.db_id,
        linked.table_key,
        'foreign_key' as part,
        0 as place,
        linked.item || ' ' || linked.referenced_table_key as item,
        '    FOREIGN KEY (' || linked.names || ') REFERENCES ' || referenced.prefixed_name || linked.referenced_names
        || ',' as prefixed_code,
        '    FOREIGN KEY (' || linked.names || ') REFERENCES ' || referenced.bare_name || linked.referenced_names
        || ',' as bare_code,
        null::varchar as meaning,
        null::varchar as values_told,
        false as is_unclear,
        linked.referenced_table_key,
    from linked
    inner join spelled_tables as referenced
        on linked.benchmark = referenced.benchmark
        and linked.db_id = referenced.db_id
        and linked.referenced_table_key = referenced.table_key

),

ends as (

    select
        benchmark,
        db_id,
        table_key,
        'end' as part,
        0 as place,
        '' as item,
        ');' as code,
    from tables

),

parts as (

    select * from heads
    union all by name
    select
        * exclude (code),
        code as prefixed_code,
        code as bare_code,
    from column_lines
    union all by name
    select
        * exclude (code),
        code as prefixed_code,
        code as bare_code,
    from primary_keys
    union all by name
    select * from foreign_key_lines
    union all by name
    select
        * exclude (code),
        code as prefixed_code,
        code as bare_code,
    from ends

),

numbered as (

    select
        *,
        row_number() over (
            partition by benchmark, db_id, table_key
            order by list_position(['head', 'column', 'primary_key', 'foreign_key', 'end'], part), place, item
        ) as line_number,
    from parts

),

written as (

    select
        numbered.benchmark,
        numbered.db_id,
        numbered.table_key,
        representations.representation,
        namings.naming,
        numbered.line_number,
        numbered.part,
        numbered.referenced_table_key,
        if(namings.naming = 'prefixed', numbered.prefixed_code, numbered.bare_code) as code,
        case
            when representations.shows_prose = 'all'
                then nullif(concat_ws('. ', numbered.meaning, numbered.values_told), '')
            when representations.shows_prose = 'unclear' and numbered.is_unclear then numbered.meaning
        end as comment,
        -- A blank line follows every table.
        if(numbered.part = 'end', chr(10) || chr(10), chr(10)) as ending,
        {{ token_encoding() }} as encoding,
    from numbered
    cross join representations
    cross join (values ('prefixed'), ('bare')) as namings (naming)

),

shown as (

    select
        * exclude (ending),
        code || coalesce('  -- ' || comment, '') as line,
        code || coalesce('  -- ' || comment, '') || ending as counted_line,
        code || ending as counted_code,
    from written

),

pieces as (

    -- Each text is counted once, however many lines show it.
    select
        text,
        n_tokens(text, {{ token_encoding() }})::integer as n_tokens,
    from (
        select counted_line as text from shown
        union
        select counted_code as text from shown
    ) as texts

),

counted as (

    select
        shown.* exclude (counted_line, counted_code),
        pieces_of_lines.n_tokens,
        pieces_of_codes.n_tokens as n_code_tokens,
    from shown
    inner join pieces as pieces_of_lines on shown.counted_line = pieces_of_lines.text
    inner join pieces as pieces_of_codes on shown.counted_code = pieces_of_codes.text

)

select * from counted
