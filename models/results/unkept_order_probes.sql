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

statements as (

    select * from {{ ref('statements') }}

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}
    where outcome = 'answered'

),

results as (

    select * from {{ ref('results') }}
    where not is_kept and not is_cut

),

unkept as (

    select
        golds.statement_id,
        outcomes.wave_id,
    from golds
    inner join syntax on golds.sql_id = syntax.sql_id
    inner join statements on golds.statement_id = statements.statement_id
    inner join outcomes
        on outcomes.statement_id
        = {{ statement_id('statements.engine', 'statements.snapshot_id', 'syntax.order_probe_sql') }}
    inner join results on outcomes.result_id = results.result_id
    where syntax.order_probe_sql is not null

)

select * from unkept
