with

verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

predictions as (

    select * from {{ ref('predictions') }}

),

golds as (

    select * from {{ ref('gold_outcomes') }}
    where wave_id is null

),

statements as (

    select * from {{ ref('statements') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

engines as (

    select * from {{ ref('engines') }}

),

paired as (

    -- A file can be read again; unions of databases and servers cannot be made small in memory.
    select
        verdicts.prediction_id,
        verdicts.prediction_set,
        verdicts.benchmark,
        verdicts.db_id,
        verdicts.question_id,
        golds.gold_id,
        gold_statements.engine,
        engines.dialect,
        gold_statements.snapshot_id,
        gold_statements.database_path,
        gold_statements.sql as gold_sql,
        predicted_statements.sql as predicted_sql,
        golds.is_order_asked as is_ordered,
        coalesce(
            gold_statements.sql = predicted_statements.sql
            or (gold_syntax.parse_outcome = 'parsed' and gold_syntax.normal_form = predicted_syntax.normal_form),
            false
        ) as is_same_statement,
    from verdicts
    inner join predictions on verdicts.prediction_id = predictions.prediction_id
    inner join golds on verdicts.matched_gold_id = golds.gold_id
    inner join statements as gold_statements on golds.statement_id = gold_statements.statement_id
    inner join statements as predicted_statements on predictions.statement_id = predicted_statements.statement_id
    inner join engines on gold_statements.engine = engines.engine
    left join syntax as gold_syntax on golds.sql_id = gold_syntax.sql_id
    left join syntax as predicted_syntax on predictions.sql_id = predicted_syntax.sql_id
    where
        verdicts.ex
        and gold_statements.engine in ('sqlite', 'duckdb', 'oracle-local', 'mssql-local')
        and predicted_statements.engine = gold_statements.engine
        and predicted_statements.snapshot_id = gold_statements.snapshot_id
        and gold_statements.database_path is not null

)

select
    *,
    md5(concat_ws(chr(31), engine, snapshot_id, gold_sql, predicted_sql, is_ordered)) as divergence_id,
from paired
