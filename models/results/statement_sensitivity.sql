with

uses as (

    select distinct
        statement_id,
        sql_id,
        benchmark,
        db_id,
        ends_with(engine, '_union') as is_in_union,
    from {{ ref('statement_uses') }}
    where sql_id is not null

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

columns as (

    select * from {{ ref('columns') }}

),

pooled_tables as (

    select * from {{ ref('pooled_tables') }}

),

named_columns as (

    select
        false as is_in_union,
        benchmark,
        db_id,
        table_key as table_name,
        column_key,
        is_integer_only,
    from columns

    union all

    select
        true as is_in_union,
        columns.benchmark,
        columns.db_id,
        lower(pooled_tables.prefixed_name) as table_name,
        columns.column_key,
        columns.is_integer_only,
    from columns
    inner join pooled_tables
        on columns.benchmark = pooled_tables.benchmark
        and columns.db_id = pooled_tables.db_id
        and columns.table_key = pooled_tables.table_key

),

summed_columns as (

    select
        uses.statement_id,
        uses.benchmark,
        uses.db_id,
        uses.is_in_union,
        unnest(syntax.whole_if_integer) as summed_column,
    from uses
    inner join syntax on uses.sql_id = syntax.sql_id

),

proven as (

    -- A sum over integers does not depend on the order it is made in. A column whose table could not be
    -- told ('?.amount') must be integer in every table of the database that has it; in a union none is proven.
    select
        summed_columns.statement_id,
        bool_and(coalesce(found.is_integer_only, false)) as are_sums_whole,
    from summed_columns
    left join lateral (
        select
            count(*) > 0 and bool_and(named_columns.is_integer_only) as is_integer_only,
        from named_columns
        where
            named_columns.benchmark = summed_columns.benchmark
            and named_columns.is_in_union = summed_columns.is_in_union
            and (named_columns.is_in_union or named_columns.db_id = summed_columns.db_id)
            and named_columns.column_key = split_part(summed_columns.summed_column, '.', 2)
            and (
                named_columns.table_name = split_part(summed_columns.summed_column, '.', 1)
                or (split_part(summed_columns.summed_column, '.', 1) = '?' and not named_columns.is_in_union)
            )
    ) as found on true
    group by summed_columns.statement_id

),

resolved as (

    select distinct
        uses.statement_id,
        list_filter(
            syntax.plan_sensitivity,
            lambda kind: not (kind = 'float_aggregate' and coalesce(proven.are_sums_whole, false))
        ) as plan_sensitivity,
    from uses
    inner join syntax on uses.sql_id = syntax.sql_id
    left join proven on uses.statement_id = proven.statement_id

),

classified as (

    select
        statement_id,
        min(plan_sensitivity) as plan_sensitivity,
        -- A clock or a random draw differs from run to run, whatever the plan.
        len(list_filter(min(plan_sensitivity), lambda kind: kind <> 'clock_or_random')) > 0 as is_plan_sensitive,
        -- Other rows may come, not just tied rows in another order.
        len(list_filter(min(plan_sensitivity), lambda kind: kind not in ('order_ties', 'clock_or_random'))) > 0
            as is_row_sensitive,
        -- Only the last digits of numbers may differ.
        list_filter(min(plan_sensitivity), lambda kind: kind not in ('order_ties', 'clock_or_random'))
        = ['float_aggregate'] as is_float_sensitive,
    from resolved
    group by statement_id

)

select * from classified
