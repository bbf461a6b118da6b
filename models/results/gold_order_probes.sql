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

probed as (

    select
        golds.statement_id,
        gold_outcomes.wave_id,
        gold_outcomes.n_columns,
        greatest(coalesce(syntax.offset_rows, 0), 0) as n_skipped,
        -- A negative LIMIT is none (SQLite).
        case when syntax.limit_rows >= 0 then syntax.limit_rows end as limit_rows,
        probe_outcomes.result_id,
        gold_results.is_kept and probe_results.is_kept as is_kept,
    from golds
    inner join syntax on golds.sql_id = syntax.sql_id
    inner join outcomes as gold_outcomes on golds.statement_id = gold_outcomes.statement_id
    inner join statements as gold_statements on golds.statement_id = gold_statements.statement_id
    inner join outcomes as probe_outcomes
        on probe_outcomes.statement_id
        = {{ statement_id('gold_statements.engine', 'gold_statements.snapshot_id', 'syntax.order_probe_sql') }}
        -- On a live database, of the same wave: another one's rows may be others.
        and gold_outcomes.wave_id is not distinct from probe_outcomes.wave_id
    inner join results as gold_results on gold_outcomes.result_id = gold_results.result_id
    inner join results as probe_results on probe_outcomes.result_id = probe_results.result_id
    where not probe_outcomes.is_cut

)

select * from probed
