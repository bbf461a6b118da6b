with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

tables as (

    select * from {{ ref('tables') }}

),

columns as (

    select * from {{ ref('pooled_columns') }}

),

sized as (

    select
        benchmark,
        db_id,
        table_key,
        min(table_name) as table_name,
        count(*) as n_columns,
    from columns
    group by benchmark, db_id, table_key

),

pooled as (

    -- Some sources describe a table only by its columns, some only by its name.
    select
        coalesce(tables.benchmark, sized.benchmark) as benchmark,
        coalesce(tables.db_id, sized.db_id) as db_id,
        coalesce(tables.table_key, sized.table_key) as table_key,
        coalesce(tables.table_name, sized.table_name) as table_name,
        coalesce(tables.db_id, sized.db_id) || '__' || coalesce(tables.table_name, sized.table_name) as prefixed_name,
        tables.natural_name,
        tables.description,
        coalesce(sized.n_columns, 0) as n_columns,
        tables.table_position,
    from tables
    full outer join sized
        on tables.benchmark = sized.benchmark
        and tables.db_id = sized.db_id
        and tables.table_key = sized.table_key

),

counted as (

    select
        pooled.benchmark,
        pooled.db_id,
        pooled.table_key,
        pooled.table_name,
        -- Two databases can spell one prefixed name (a and b__c, a__b and c): the second says which it is.
        pooled.prefixed_name
        || coalesce('__' || nullif(row_number() over (
            partition by pooled.benchmark, lower(pooled.prefixed_name)
            order by pooled.db_id, pooled.table_key
        ), 1), '') as prefixed_name,
        pooled.natural_name,
        pooled.description,
        pooled.n_columns,
        row_number() over (
            partition by pooled.benchmark, pooled.db_id
            order by pooled.table_position asc nulls last, pooled.table_key asc
        ) as table_position,
        count(*) over (partition by pooled.benchmark, pooled.table_key) as n_same_name,
    from pooled
    semi join studied on pooled.benchmark = studied.benchmark

),

numbered_names as (

    -- Names that look like another one with a number: the number is taken.
    select
        benchmark,
        regexp_extract(table_key, '^(.+)_[0-9]+$', 1) as stem,
        table_key as taken_name,
    from counted
    where regexp_matches(table_key, '^.+_[0-9]+$')
    group by all

),

taken as (

    select
        benchmark,
        stem,
        count(*) as n_taken,
    from numbered_names
    group by benchmark, stem

),

candidates as (

    select
        counted.benchmark,
        counted.table_key,
        unnest(range(1, max(counted.n_same_name) + coalesce(max(taken.n_taken), 0) + 1)) as number,
    from counted
    left join taken
        on counted.benchmark = taken.benchmark
        and counted.table_key = taken.stem
    where counted.n_same_name > 1
    group by counted.benchmark, counted.table_key

),

free as (

    select
        candidates.benchmark,
        candidates.table_key,
        candidates.number,
        row_number() over (partition by candidates.benchmark, candidates.table_key order by candidates.number)
            as place,
    from candidates
    anti join numbered_names
        on candidates.benchmark = numbered_names.benchmark
        and candidates.table_key || '_' || candidates.number = numbered_names.taken_name

),

drawn as (

    -- An order that says nothing of the source.
    select
        *,
        row_number() over (partition by benchmark, table_key order by md5(prefixed_name), prefixed_name) as place,
    from counted

),

named as (

    select
        drawn.benchmark,
        drawn.db_id,
        drawn.table_key,
        drawn.table_name,
        drawn.prefixed_name,
        drawn.table_name || coalesce('_' || free.number, '') as bare_name,
        drawn.n_same_name > 1 as is_colliding,
        drawn.n_same_name,
        drawn.natural_name,
        drawn.description,
        drawn.n_columns,
        drawn.table_position,
        (row_number() over (partition by drawn.benchmark order by drawn.db_id, drawn.table_position))::integer
            as table_number,
    from drawn
    left join free
        on drawn.n_same_name > 1
        and drawn.benchmark = free.benchmark
        and drawn.table_key = free.table_key
        and drawn.place = free.place

)

select * from named
