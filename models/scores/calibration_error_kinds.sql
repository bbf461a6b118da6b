with

mistakes as (

    select * from {{ ref('calibration_mistakes') }}

),

missing_columns as (

    select * from {{ ref('calibration_missing_columns') }}

),

golds as (

    select * from {{ ref('golds') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}
    where parse_outcome = 'parsed'

),

faults as (

    select
        findings.gold_id,
        list_sort(list(distinct findings.finding)) as gold_faults,
    from {{ ref('gold_findings') }} as findings
    inner join {{ ref('gold_faults') }} as counted
        on findings.finding = counted.finding
        and counted.is_fault
    group by findings.gold_id

),

informed as (

    select
        mistakes.*,
        missing_columns.pair_id is not null as are_columns_missing,
        coalesce(faults.gold_faults, []) as gold_faults,
        gold_syntax.tables as gold_tables,
        -- In a pool of databases a table stands under its database's name: that of gold's is taken off.
        list_transform(
            predicted_syntax.tables,
            lambda name: if(
                starts_with(name, lower(mistakes.db_id) || '__'), substr(name, len(mistakes.db_id) + 3), name
            )
        ) as predicted_tables,
    from mistakes
    left join missing_columns on mistakes.pair_id = missing_columns.pair_id
    left join faults on mistakes.gold_id = faults.gold_id
    left join golds on mistakes.gold_id = golds.gold_id
    left join syntax as gold_syntax on golds.sql_id = gold_syntax.sql_id
    left join syntax as predicted_syntax on mistakes.sql_id = predicted_syntax.sql_id

),

compared as (

    -- NULL where either text was not read.
    select
        *,
        case when gold_tables is not null and predicted_tables is not null
            then list_sort(list_filter(gold_tables, lambda name: not list_contains(predicted_tables, name))) end
            as missing_tables,
        case when gold_tables is not null and predicted_tables is not null
            then list_sort(list_filter(predicted_tables, lambda name: not list_contains(gold_tables, name))) end
            as extra_tables,
    from informed

),

put_down as (

    -- The first that holds, in the order of precedence of the seed `error_kinds`.
    select
        *,
        case
            when coalesce(ex_set, false) then 'other_namespace'
            when coalesce(ex_projection, false) then 'projection'
            when are_columns_missing then 'missing_columns'
            when coalesce(ex_tolerant, false) or reason = 'type' then 'format'
            when outcome = 'prediction_failed' and reason in ('unknown_table', 'unknown_column') then 'unknown_name'
            when not is_executed then 'no_result'
            when coalesce(ex, false) or len(gold_faults) > 0 then 'gold_fault'
            when len(missing_tables) + len(extra_tables) > 0 then 'other_tables'
            else 'other'
        end as error_kind,
    from compared

)

select
    prediction_id,
    prediction_set,
    benchmark,
    question_id,
    sample,
    db_id,
    outcome,
    reason,
    error_kind,
    gold_faults,
    missing_tables,
    extra_tables,
from put_down
