with

golds as (

    select * from {{ ref('gold_outcomes') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

unresolved_names as (

    select * from {{ ref('unresolved_names') }}

),

columns as (

    select * from {{ ref('columns') }}

),

named as (

    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        golds.db_id,
        golds.statement_id,
        unnest(syntax.findings) as finding,
    from golds
    inner join syntax on golds.sql_id = syntax.sql_id

),

digits_as_text as (

    -- Columns whose values are digits kept as text: '10' sorts before '9'.
    select distinct
        benchmark,
        db_id,
        table_key,
        column_key,
    from columns
    where
        list_contains(storage_classes, 'text')
        and len(sample_values) > 0
        and len(list_filter(sample_values, lambda value: not regexp_full_match(value, '-?[0-9]+(\.[0-9]+)?'))) = 0

),

from_text as (

    select
        named.gold_id,
        named.finding.code as finding,
        named.finding.detail as detail,
    from named
    where named.finding.code not in ('double_quoted_name', 'order_by_column')

),

from_catalog as (

    select
        named.gold_id,
        'order_by_digits_as_text' as finding,
        named.finding.detail as detail,
    from named
    where
        named.finding.code = 'order_by_column'
        and exists (
            select 1 from digits_as_text
            where
                digits_as_text.benchmark = named.benchmark
                and digits_as_text.db_id = named.db_id
                and digits_as_text.column_key = split_part(named.finding.detail, '.', 2)
                and split_part(named.finding.detail, '.', 1) in ('?', digits_as_text.table_key)
        )

    union all

    select
        golds.gold_id,
        'unresolved_double_quoted_name' as finding,
        unresolved_names.name as detail,
    from golds
    inner join unresolved_names
        on golds.statement_id = unresolved_names.statement_id
        and golds.benchmark = unresolved_names.benchmark

),

from_result as (

    select
        gold_id,
        case
            when outcome = 'timed_out' then 'timed_out'
            when outcome in ('failed', 'refused', 'crashed') then 'does_not_run'
            when n_rows = 0 then 'empty_result'
        end as finding,
        coalesce(error_message, '') as detail,
    from golds
    where outcome in ('timed_out', 'failed', 'refused', 'crashed') or n_rows = 0

    union all

    select
        gold_id,
        'limit_through_tie' as finding,
        'other rows are tied with those that LIMIT keeps' as detail,
    from golds
    where is_limit_tie

    union all

    select
        gold_id,
        'order_not_checked_for_ties' as finding,
        order_problem as detail,
    from golds
    where order_rule = 'strict'

),

findings as (

    select * from from_text
    union all
    select * from from_catalog
    union all
    select * from from_result

)

select distinct
    golds.gold_id,
    golds.benchmark,
    golds.question_id,
    golds.gold_edition,
    golds.gold_number,
    golds.db_id,
    findings.finding,
    findings.detail,
from findings
inner join golds on findings.gold_id = golds.gold_id
