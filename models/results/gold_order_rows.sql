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

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

probed as (

    select
        golds.statement_id,
        gold_outcomes.wave_id,
        gold_outcomes.n_columns,
        greatest(coalesce(syntax.offset_rows, 0), 0) as n_skipped,
        -- A negative LIMIT is none (SQLite).
        case when syntax.limit_rows >= 0 then syntax.limit_rows end as limit_rows,
        probe_outcomes.result_id as probe_result_id,
    from golds
    inner join syntax on golds.sql_id = syntax.sql_id
    inner join outcomes as gold_outcomes on golds.statement_id = gold_outcomes.statement_id
    inner join statements as gold_statements on golds.statement_id = gold_statements.statement_id
    inner join outcomes as probe_outcomes
        on probe_outcomes.statement_id
        = {{ statement_id('gold_statements.engine', 'gold_statements.snapshot_id', 'syntax.order_probe_sql') }}
        -- On a live database, of the same wave: another one's rows may be others.
        and gold_outcomes.wave_id is not distinct from probe_outcomes.wave_id
    where not probe_outcomes.is_cut

),

ranked as (

    -- The probe returns the gold's columns, then its order keys, then the rank of the row by those keys.
    select
        probed.statement_id,
        probed.wave_id,
        probed.n_skipped,
        probed.limit_rows,
        result_rows.cells[1:probed.n_columns] as cells,
        cast(substr(result_rows.cells[-1], 3) as bigint) as order_rank,
        count(*) over (partition by probed.statement_id, probed.wave_id, result_rows.cells[-1]) as n_tied,
    from probed
    inner join result_rows on probed.probe_result_id = result_rows.result_id

),

placed as (

    -- Rows tied on the order keys share the places from_position to to_position of the gold's result.
    -- Where LIMIT or OFFSET cuts through the tie there are fewer places than tied rows.
    select
        statement_id,
        wave_id,
        order_rank,
        cells,
        md5(to_json(cells)) as row_key,
        n_tied,
        greatest(order_rank, n_skipped + 1) - n_skipped as from_position,
        least(order_rank + n_tied - 1, n_skipped + coalesce(limit_rows, 9223372036854775807 - n_skipped)) - n_skipped
            as to_position,
    from ranked

)

select
    *,
    to_position - from_position + 1 < n_tied as is_cut_tie,
from placed
where to_position >= from_position
