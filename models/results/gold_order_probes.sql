with

golds as (

    select distinct
        statement_id,
        sql_id,
    from {{ ref('golds') }}
    where statement_id is not null

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}
    where outcome = 'answered'

),

statements as (

    select * from {{ ref('statements') }}

),

results as (

    select * from {{ ref('results') }}

),

asked as materialized (

    -- Set apart, so that no plan pairs all answers by their wave before it looks for the probe's text.
    select
        golds.statement_id,
        outcomes.wave_id,
        outcomes.n_columns,
        outcomes.result_id,
        greatest(coalesce(syntax.offset_rows, 0), 0) as n_skipped,
        -- A negative LIMIT is none (SQLite).
        case when syntax.limit_rows >= 0 then syntax.limit_rows end as limit_rows,
        {{ statement_id('statements.engine', 'statements.snapshot_id', 'syntax.order_probe_sql') }} as probe_statement_id,
    from golds
    inner join syntax on golds.sql_id = syntax.sql_id
    inner join outcomes on golds.statement_id = outcomes.statement_id
    inner join statements on golds.statement_id = statements.statement_id
    where syntax.order_probe_sql is not null

),

probed as (

    select
        asked.statement_id,
        asked.wave_id,
        asked.n_columns,
        asked.n_skipped,
        asked.limit_rows,
        probes.result_id,
        gold_results.is_kept and probe_results.is_kept as is_kept,
    from asked
    inner join outcomes as probes
        on asked.probe_statement_id = probes.statement_id
        -- On a live database, of the same wave: another one's rows may be others.
        and asked.wave_id is not distinct from probes.wave_id
    inner join results as gold_results on asked.result_id = gold_results.result_id
    inner join results as probe_results on probes.result_id = probe_results.result_id
    where not probes.is_cut

)

select * from probed
