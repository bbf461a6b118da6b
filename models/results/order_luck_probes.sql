with

comparisons as (

    select * from {{ ref('comparisons') }}

),

verdicts as (

    select * from {{ ref('pair_verdicts') }}
    where ex and order_rule <> 'none' and n_gold_rows > 1 and not are_both_empty

),

statements as (

    select * from {{ ref('statements') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

matched as (

    select distinct comparisons.predicted_statement_id as statement_id
    from comparisons
    inner join verdicts
        on comparisons.order_id = verdicts.order_id
        and comparisons.gold_result_id = verdicts.gold_result_id
        and comparisons.predicted_result_id = verdicts.predicted_result_id

),

probes as (

    select
        statements.statement_id as predicted_statement_id,
        {{ statement_id('statements.engine', 'statements.snapshot_id', 'syntax.order_probe_sql') }} as statement_id,
        statements.engine,
        statements.snapshot_id,
        statements.database_path,
        syntax.order_probe_sql as sql,
        statements.benchmarks,
    from matched
    inner join statements on matched.statement_id = statements.statement_id
    inner join syntax on statements.sql_id = syntax.sql_id
    where
        -- On a live database the probe would see the rows of another wave.
        statements.connection is null
        and syntax.is_ordered
        and syntax.order_probe_sql is not null

)

select * from probes
