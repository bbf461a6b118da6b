with

histories as (

    select distinct
        history,
        schema_benchmark,
    from {{ ref('history_benchmarks') }}

),

items as (

    select * from {{ ref('knowledge_items') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

tables as (

    select * from {{ ref('tables') }}

),

columns as (

    select * from {{ ref('columns') }}

),

sql_words as (

    select * from {{ ref('sql_words') }}

),

skeletons as (

    select
        histories.schema_benchmark as benchmark,
        items.db_id,
        items.skeleton,
    from items
    inner join histories on items.history = histories.history

    union

    -- What a script shows is no component, and is told in its description.
    select
        schema_benchmark as benchmark,
        db_id,
        {{ shown_skeleton('full_skeleton') }} as skeleton,
    from scripts
    where full_skeleton is not null

),

tokens as (

    -- A skeleton as long as a book says no more than its beginning.
    select
        benchmark,
        db_id,
        skeleton,
        unnest(tokens) as token,
        generate_subscripts(tokens, 1) as place,
    from (
        select
            *,
            regexp_extract_all(
                left(skeleton, 2000),
                '<val>|(?:order|group|partition) by|is null'
                || '|(?:"[^"]*"|[\p{L}_?][\p{L}\p{N}_$]*)(?:#\d+)?\.(?:"[^"]*"|[\p{L}\p{N}_$]+|\*)'
                || '|"[^"]*"(?:#\d+)?|[\p{L}_][\p{L}\p{N}_$]*(?:#\d+)?'
                || '|<>|<=|>=|\|\||[^\s]'
            ) as tokens,
        from skeletons
        where skeleton <> ''
    )

),

named as (

    select
        benchmark,
        db_id,
        skeleton,
        place,
        token,
        len(token) > 1 and regexp_matches(token, '\.[^.]') as is_column,
        trim(regexp_replace(
            regexp_extract(token, '^("[^"]*"|[^."#]+)', 1), '#\d+$', ''
        ), '"') as table_key,
        trim(regexp_extract(token, '\.("[^"]*"|[^.]+)$', 1), '"') as column_key,
    from tokens

),

looked_up as (

    select
        named.benchmark,
        named.db_id,
        named.skeleton,
        named.place,
        named.is_column,
        named.table_key,
        tables.table_key is not null and not named.is_column as is_table,
        coalesce(
            {{ one_line("replace(tables.natural_name, '_', ' ')") }},
            {{ words_of_name('named.table_key') }}
        ) as table_name,
        case
            when not named.is_column then null
            when named.column_key = '*' then 'everything'
            else coalesce({{ one_line("replace(columns.natural_name, '_', ' ')") }}, {{ words_of_name('named.column_key') }})
        end as column_name,
        {{ words_of_name('coalesce(columns.column_name, named.column_key)') }} as spelled_name,
        case
            when
                len(columns.description) <= 60
                and lower(columns.description) <> lower(columns.natural_name)
                then {{ one_line('columns.description') }}
        end as column_description,
        coalesce(sql_words.phrase, if(sql_words.sql_word is null, named.token, null)) as word,
    from named
    left join tables
        on named.benchmark = tables.benchmark
        and named.db_id = tables.db_id
        and named.table_key = tables.table_key
    left join columns
        on named.is_column
        and named.benchmark = columns.benchmark
        and named.db_id = columns.db_id
        and named.table_key = columns.table_key
        and named.column_key = columns.column_key
    left join sql_words on named.token = sql_words.sql_word

),

worded as (

    select
        *,
        row_number() over (mentions order by place) = 1 as is_first_mention,
        case
            when is_column and table_key = '?' then column_name
            when is_column
                then concat(
                    column_name,
                    ' (' || column_description || ')',
                    if(
                        table_key is distinct from last_value(if(is_column, table_key, null) ignore nulls) over (
                            partition by benchmark, db_id, skeleton
                            order by place
                            rows between unbounded preceding and 1 preceding
                        ),
                        ' of ' || table_name,
                        ''
                    )
                )
            when is_table then table_name
            else word
        end as phrase,
    from looked_up
    window mentions as (
        partition by benchmark, db_id, skeleton, is_table, is_column, if(is_column, column_name, table_name)
    )

),

joined as (

    select
        benchmark,
        db_id,
        skeleton,
        replace(string_agg(phrase, ' ' order by place) filter (where phrase <> ''), ' ,', ',') as phrase,
        coalesce(list(column_name order by place) filter (where is_column and is_first_mention), []) as column_names,
        coalesce(list(spelled_name order by place) filter (where is_column and is_first_mention), []) as spelled_names,
        coalesce(list(table_name order by place) filter (where is_table and is_first_mention), []) as table_names,
    from worded
    group by benchmark, db_id, skeleton

)

select * from joined
