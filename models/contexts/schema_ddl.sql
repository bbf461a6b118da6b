with

databases as (

    select * from {{ ref('prompted_databases') }}

),

tables as (

    select * from {{ ref('tables') }}

),

columns as (

    select * from {{ ref('columns') }}

),

foreign_keys as (

    select * from {{ ref('foreign_keys') }}

),

spelled_columns as (

    select
        databases.benchmark,
        databases.db_id,
        databases.dialect,
        columns.table_key,
        columns.table_name,
        columns.column_key,
        -- What no source gives a place stands last, by name.
        coalesce(columns.column_position, 2147483647) as position,
        {{ quoted_name('columns.column_name', 'databases') }} as name,
        {{ one_line('columns.data_type') }} as data_type,
        columns.is_primary_key,
        coalesce(not columns.is_nullable, false) and not columns.is_primary_key as is_not_null,
        {{ one_line('coalesce(columns.description, columns.natural_name)') }} as description,
        {{ one_line('columns.value_description') }} as value_description,
        columns.column_name,
    from databases
    inner join columns
        on databases.benchmark = columns.benchmark
        and databases.db_id = columns.db_id

),

column_items as (

    select
        benchmark,
        db_id,
        dialect,
        table_key,
        1 as section,
        position,
        column_key as item_key,
        concat_ws(' ', name, data_type, if(is_not_null, 'NOT NULL', null)) as definition,
        -- A comment that only repeats the name says nothing.
        nullif(concat_ws(
            '. ',
            case
                when lower(replace(column_name, '_', ' ')) <> lower(replace(description, '_', ' '))
                    then rtrim(description, '.')
            end,
            'Values: ' || value_description
        ), '') as comment,
    from spelled_columns

),

primary_key_items as (

    select
        benchmark,
        db_id,
        dialect,
        table_key,
        2 as section,
        0 as position,
        '' as item_key,
        'PRIMARY KEY (' || string_agg(name, ', ' order by position, column_key) || ')' as definition,
        null as comment,
    from spelled_columns
    where is_primary_key
    group by benchmark, db_id, dialect, table_key

),

foreign_key_items as (

    select
        databases.benchmark,
        databases.db_id,
        databases.dialect,
        foreign_keys.table_key,
        3 as section,
        0 as position,
        string_agg(foreign_keys.column_key, ',' order by foreign_keys.key_position, foreign_keys.column_key)
            || ' ' || foreign_keys.key_name as item_key,
        'FOREIGN KEY ('
        || string_agg(
            {{ quoted_name('foreign_keys.column_name', 'databases') }},
            ', ' order by foreign_keys.key_position, foreign_keys.column_key
        )
        || ') REFERENCES '
        || min({{ quoted_name('foreign_keys.referenced_table', 'databases') }})
        -- Without names where SQLite's catalog does not say which columns are meant.
        || coalesce(' (' || string_agg(
            {{ quoted_name('foreign_keys.referenced_column', 'databases') }},
            ', ' order by foreign_keys.key_position, foreign_keys.column_key
        ) || ')', '') as definition,
        null as comment,
    from databases
    inner join foreign_keys
        on databases.benchmark = foreign_keys.benchmark
        and databases.db_id = foreign_keys.db_id
    group by
        databases.benchmark,
        databases.db_id,
        databases.dialect,
        foreign_keys.table_key,
        foreign_keys.referenced_table_key,
        foreign_keys.key_name

),

items as (

    select * from column_items
    union all
    select * from primary_key_items
    union all
    select * from foreign_key_items

),

numbered as (

    select
        *,
        row_number() over (
            partition by benchmark, db_id, dialect, table_key
            order by section, position, item_key
        ) as item_number,
        count(*) over (partition by benchmark, db_id, dialect, table_key) as n_items,
    from items

),

table_bodies as (

    select
        benchmark,
        db_id,
        dialect,
        table_key,
        string_agg(
            '    ' || definition || if(item_number = n_items, '', ',') || coalesce('  -- ' || comment, ''),
            chr(10) order by item_number
        ) as body,
        count(*) filter (where section = 1) as n_columns,
    from numbered
    group by benchmark, db_id, dialect, table_key

),

table_names as (

    -- Of tables that a source describes only by their columns, the name stands there.
    select
        benchmark,
        db_id,
        table_key,
        min(table_name) as table_name,
    from columns
    semi join databases
        on columns.benchmark = databases.benchmark
        and columns.db_id = databases.db_id
    group by benchmark, db_id, table_key

),

statements as (

    select
        bodies.benchmark,
        bodies.db_id,
        bodies.dialect,
        bodies.table_key,
        coalesce(tables.table_position, 2147483647) as table_position,
        'CREATE TABLE '
        || {{ quoted_name('coalesce(tables.table_name, table_names.table_name)', 'databases') }}
        || ' ('
        || coalesce('  -- ' || case
            when lower(replace(table_names.table_name, '_', ' '))
                <> lower({{ one_line('coalesce(tables.description, tables.natural_name)') }})
                then {{ one_line('coalesce(tables.description, tables.natural_name)') }}
        end, '')
        || chr(10) || bodies.body || chr(10) || ');' as statement,
        bodies.n_columns,
    from table_bodies as bodies
    inner join databases
        on bodies.benchmark = databases.benchmark
        and bodies.db_id = databases.db_id
        and bodies.dialect is not distinct from databases.dialect
    inner join table_names
        on bodies.benchmark = table_names.benchmark
        and bodies.db_id = table_names.db_id
        and bodies.table_key = table_names.table_key
    left join tables
        on bodies.benchmark = tables.benchmark
        and bodies.db_id = tables.db_id
        and bodies.table_key = tables.table_key

),

schemas as (

    select
        benchmark,
        db_id,
        dialect,
        string_agg(statement, chr(10) || chr(10) order by table_position, table_key) as ddl,
        count(*) as n_tables,
        sum(n_columns)::bigint as n_columns,
    from statements
    group by benchmark, db_id, dialect

)

select * from schemas
