with

probes as (

    select * from {{ ref('gold_order_probes') }}
    where is_kept

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

ranked as (

    -- The probe returns the gold's columns, then its order keys, then the rank of the row by those keys.
    select
        probes.statement_id,
        probes.wave_id,
        probes.n_skipped,
        probes.limit_rows,
        result_rows.cells[1:probes.n_columns] as cells,
        cast(substr(result_rows.cells[-1], 3) as bigint) as order_rank,
        count(*) over (partition by probes.statement_id, probes.wave_id, result_rows.cells[-1]) as n_tied,
    from probes
    inner join result_rows on probes.result_id = result_rows.result_id

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
