with

databases as (

    select * from {{ ref('prompted_databases') }}

),

columns as (

    select * from {{ ref('columns') }}

),

described as (

    select * from {{ ref('stg_columns') }}

),

foreign_keys as (

    select * from {{ ref('foreign_keys') }}

),

join_lines as (

    select
        databases.benchmark,
        databases.db_id,
        databases.dialect,
        foreign_keys.table_key,
        {{ quoted_name('foreign_keys.table_name', 'databases') }}
        || '.' || {{ quoted_name('foreign_keys.column_name', 'databases') }}
        || ' = ' || {{ quoted_name('foreign_keys.referenced_table', 'databases') }}
        || '.' || {{ quoted_name('foreign_keys.referenced_column', 'databases') }} as line,
    from databases
    inner join foreign_keys
        on databases.benchmark = foreign_keys.benchmark
        and databases.db_id = foreign_keys.db_id
    where foreign_keys.referenced_column is not null

),

join_hints as (

    select
        benchmark,
        db_id,
        dialect,
        string_agg(line, chr(10) order by table_key, line) as join_hints,
    from join_lines
    group by benchmark, db_id, dialect

),

sampled as (

    -- An import keeps up to so many different values of every column of a file: a column with fewer than the most it
    -- kept of one has no others. Where a source says what the values mean, the schema's comment lists them.
    select
        described.*,
        {{ source_preference('described.source') }} as preference,
        max(len(described.sample_values)) over (
            partition by described.import_id, described.benchmark, described.db_id
        ) as n_kept,
    from described
    semi join databases
        on described.benchmark = databases.benchmark
        and described.db_id = databases.db_id
    where described.source in ('introspection', 'bank') and described.value_description is null

),

few_valued as (

    select
        benchmark,
        db_id,
        lower(table_name) as table_key,
        lower(column_name) as column_key,
        sample_values,
    from sampled
    where
        len(sample_values) between 1 and n_kept - 1
        -- A long text tells nothing that fits on a line.
        and len(list_filter(sample_values, lambda value: length(value) > 60 or contains(value, chr(10)))) = 0
    qualify row_number() over (
        partition by benchmark, db_id, lower(table_name), lower(column_name)
        order by preference, import_id
    ) = 1

),

few_valued_columns as (

    -- A key's values are no vocabulary.
    select
        columns.*,
        few_valued.sample_values as values,
        regexp_matches(lower(coalesce(columns.data_type, 'text')), 'char|text|clob|string|enum') as is_text,
    from few_valued
    inner join columns
        on few_valued.benchmark = columns.benchmark
        and few_valued.db_id = columns.db_id
        and few_valued.table_key = columns.table_key
        and few_valued.column_key = columns.column_key
    anti join foreign_keys
        on columns.benchmark = foreign_keys.benchmark
        and columns.db_id = foreign_keys.db_id
        and columns.table_key = foreign_keys.table_key
        and columns.column_key = foreign_keys.column_key
    where not columns.is_primary_key

),

value_lines as (

    select
        databases.benchmark,
        databases.db_id,
        databases.dialect,
        few_valued_columns.table_key,
        few_valued_columns.column_key,
        coalesce(few_valued_columns.column_position, 2147483647) as position,
        {{ quoted_name('few_valued_columns.table_name', 'databases') }}
        || '.' || {{ quoted_name('few_valued_columns.column_name', 'databases') }}
        || ': '
        || array_to_string(list_transform(
            list_sort(few_valued_columns.values),
            lambda value: case
                when few_valued_columns.is_text or try_cast(value as double) is null
                    then '''' || replace(value, '''', '''''') || ''''
                else value
            end
        ), ', ') as line,
    from databases
    inner join few_valued_columns
        on databases.benchmark = few_valued_columns.benchmark
        and databases.db_id = few_valued_columns.db_id

),

value_hints as (

    select
        benchmark,
        db_id,
        dialect,
        string_agg(line, chr(10) order by table_key, position, column_key) as value_hints,
    from value_lines
    group by benchmark, db_id, dialect

),

notes as (

    select
        benchmark,
        db_id,
        string_agg('- ' || note_text, chr(10) order by note_number) as schema_notes,
    from {{ ref('stg_schema_notes') }}
    group by benchmark, db_id

),

hints as (

    select
        databases.benchmark,
        databases.db_id,
        databases.dialect,
        join_hints.join_hints,
        value_hints.value_hints,
        notes.schema_notes,
    from databases
    left join notes
        on databases.benchmark = notes.benchmark
        and databases.db_id = notes.db_id
    left join join_hints
        on databases.benchmark = join_hints.benchmark
        and databases.db_id = join_hints.db_id
        and databases.dialect is not distinct from join_hints.dialect
    left join value_hints
        on databases.benchmark = value_hints.benchmark
        and databases.db_id = value_hints.db_id
        and databases.dialect is not distinct from value_hints.dialect

)

select * from hints
