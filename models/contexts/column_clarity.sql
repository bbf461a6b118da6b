with

columns as (

    select * from {{ ref('pooled_columns') }}

),

tables as (

    select * from {{ ref('pooled_tables') }}

),

ordinary as (

    select list(word order by word) as words from {{ ref('short_words') }}

),

described as (

    select
        columns.benchmark,
        columns.db_id,
        columns.table_key,
        columns.column_key,
        columns.column_name,
        lower({{ one_line('coalesce(columns.description, columns.natural_name)') }}) as meaning,
        -- Prose that repeats the name in quotes says nothing about its words.
        regexp_replace(
            concat_ws(' ', columns.natural_name, columns.description),
            '[''"`]' || regexp_escape(columns.column_name) || '[''"`]',
            ' ',
            'g'
        ) as prose,
        tables.is_colliding as has_shared_table,
    from columns
    inner join tables
        on columns.benchmark = tables.benchmark
        and columns.db_id = tables.db_id
        and columns.table_key = tables.table_key

),

worded as (

    select
        described.*,
        {{ name_terms('described.column_name') }} as words,
        {{ name_terms('described.prose') }} as prose_words,
        ordinary.words as ordinary_words,
    from described
    cross join ordinary

),

compared as (

    select
        benchmark,
        db_id,
        table_key,
        column_key,
        {{ abbreviated_words('words', 'prose_words', 'ordinary_words') }} as abbreviated_words,
        count(*) over (partition by benchmark, column_key) as n_same_name,
        count(distinct meaning) over (partition by benchmark, column_key) as n_meanings,
        has_shared_table,
    from worded

),

judged as (

    select
        *,
        n_meanings > 1 or has_shared_table as is_ambiguous,
        len(abbreviated_words) > 0 as is_abbreviated,
        n_meanings > 1 or has_shared_table or len(abbreviated_words) > 0 as is_unclear,
    from compared

)

select * from judged
