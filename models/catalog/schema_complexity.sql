with

tables as (

    select * from {{ ref('tables') }}

),

columns as (

    select * from {{ ref('columns') }}

),

foreign_keys as (

    select * from {{ ref('foreign_keys') }}

),

databases as (

    select * from {{ ref('databases') }}

),

ordinary as (

    select list(word) as words
    from (
        select word from {{ ref('ordinary_words') }}
        union
        select word from {{ ref('short_words') }}
    )

),

relationships as (

    -- One row per reference, whatever sources say it; a composite one is one.
    select
        benchmark,
        db_id,
        table_key,
        key_name,
        referenced_table_key,
        bool_or(not is_inferred) as is_enforced,
    from foreign_keys
    group by benchmark, db_id, table_key, key_name, referenced_table_key

),

coverage as (

    select
        benchmark,
        db_id,
        count(*) as n_relationships,
        count(*) filter (where is_enforced) as n_enforced_relationships,
    from relationships
    group by benchmark, db_id

),

referring as (

    select
        benchmark,
        db_id,
        table_key,
        column_key,
        min(referenced_table_key || '.' || referenced_column_key) as referenced_column,
    from foreign_keys
    group by benchmark, db_id, table_key, column_key

),

described as (

    -- What values a column may have: those of what it refers to; else its meanings or its few values; else its type.
    select
        columns.benchmark,
        columns.db_id,
        columns.table_key,
        columns.column_key,
        columns.is_nullable,
        trim(coalesce(columns.description, '')) <> '' as is_described,
        {{ is_legacy_name('columns.column_name', 'ordinary.words') }} as is_legacy,
        coalesce(
            referring.referenced_column,
            case when columns.is_primary_key then columns.table_key || '.' || columns.column_key end,
            columns.value_description,
            case when len(columns.sample_values) between 1 and 8 then list_sort(columns.sample_values)::varchar end,
            upper(columns.data_type),
            ''
        ) as value_domain,
    from columns
    cross join ordinary
    left join referring
        on columns.benchmark = referring.benchmark
        and columns.db_id = referring.db_id
        and columns.table_key = referring.table_key
        and columns.column_key = referring.column_key

),

names as (

    select
        benchmark,
        db_id,
        column_key,
        count(distinct table_key) as n_tables,
        count(distinct value_domain) as n_domains,
        bool_or(not is_described) as is_undocumented,
    from described
    group by benchmark, db_id, column_key

),

repeated as (

    select
        benchmark,
        db_id,
        count(*) filter (where n_tables >= 3) as n_repeated_names,
        count(*) filter (where n_tables >= 3 and n_domains > 1) as n_ambiguous_names,
        count(*) filter (where n_tables >= 3 and n_domains > 1 and is_undocumented) as n_undocumented_ambiguous_names,
        list(column_key order by n_tables desc, column_key)
            filter (where n_tables >= 3 and n_domains > 1) as ambiguous_names,
    from names
    group by benchmark, db_id

),

sized as (

    select
        benchmark,
        db_id,
        count(*) as n_columns,
        count(*) filter (where is_legacy) as n_legacy_columns,
        count(*) filter (where is_described) as n_described_columns,
        count(is_nullable) as n_columns_of_known_nullability,
        count(*) filter (where is_nullable) as n_nullable_columns,
    from described
    group by benchmark, db_id

),

table_counts as (

    select
        benchmark,
        db_id,
        count(*) as n_tables,
        sum(n_rows)::bigint as n_rows,
    from tables
    group by benchmark, db_id

)

select
    databases.benchmark,
    databases.db_id,
    databases.schema_id,
    databases.tier,
    table_counts.n_tables,
    table_counts.n_rows,
    sized.n_columns,
    repeated.n_repeated_names,
    repeated.n_ambiguous_names,
    repeated.n_undocumented_ambiguous_names,
    repeated.ambiguous_names,
    coalesce(coverage.n_relationships, 0) as n_relationships,
    coalesce(coverage.n_enforced_relationships, 0) as n_enforced_relationships,
    sized.n_legacy_columns,
    sized.n_described_columns,
    sized.n_nullable_columns,
    repeated.n_ambiguous_names / sized.n_columns as ambiguity_index,
    coverage.n_enforced_relationships / coverage.n_relationships as foreign_key_coverage,
    sized.n_legacy_columns / sized.n_columns as legacy_naming_ratio,
    sized.n_described_columns / sized.n_columns as documentation_density,
    sized.n_nullable_columns / nullif(sized.n_columns_of_known_nullability, 0) as nullable_share,
from databases
inner join table_counts
    on databases.benchmark = table_counts.benchmark
    and databases.db_id = table_counts.db_id
inner join sized
    on databases.benchmark = sized.benchmark
    and databases.db_id = sized.db_id
inner join repeated
    on databases.benchmark = repeated.benchmark
    and databases.db_id = repeated.db_id
left join coverage
    on databases.benchmark = coverage.benchmark
    and databases.db_id = coverage.db_id
