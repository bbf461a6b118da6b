with

golds as (

    select * from {{ ref('gold_outcomes') }}
    where outcome = 'answered' and result_id <> end_result_id

),

results as (

    select * from {{ ref('results') }}

),

positions as (

    select * from {{ ref('gold_order_positions') }}

),

order_rows as (

    select * from {{ ref('gold_order_rows') }}

),

row_keys as (

    select * from {{ ref('result_row_keys') }}

),

changed as (

    -- One row per gold and wave whose rows or their order are not at the end what they were at the start.
    select
        golds.gold_id,
        golds.wave_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        golds.statement_id,
        golds.order_rule,
        golds.result_id as start_result_id,
        golds.end_result_id,
        started.n_rows as n_start_rows,
        ended.n_rows as n_end_rows,
        started.n_columns = ended.n_columns as has_same_width,
        started.multiset_signature = ended.multiset_signature as is_multiset_match,
        ended.n_stored_rows < ended.n_rows or golds.is_order_unkept as are_rows_missing,
    from golds
    inner join results as started on golds.result_id = started.result_id
    inner join results as ended on golds.end_result_id = ended.result_id

),

allowed as (

    select
        statement_id,
        wave_id,
        order_rank,
        row_key,
        count(*) as n_copies,
    from order_rows
    group by statement_id, wave_id, order_rank, row_key

),

shown as (

    -- Where the order counts and ties are known: which rows stand in which places at the end.
    select
        changed.gold_id,
        changed.statement_id,
        changed.wave_id,
        positions.order_rank,
        row_keys.row_key,
        count(*) as n_copies,
    from changed
    inner join row_keys on changed.end_result_id = row_keys.result_id
    inner join positions
        on changed.statement_id = positions.statement_id
        and changed.wave_id = positions.wave_id
        and row_keys.row_number = positions.position
    where changed.order_rule = 'tie_groups' and not changed.are_rows_missing
    group by all

),

placed as (

    select
        shown.gold_id,
        shown.wave_id,
        sum(greatest(shown.n_copies - coalesce(allowed.n_copies, 0), 0)) = 0 as is_order_match,
    from shown
    left join allowed
        on shown.statement_id = allowed.statement_id
        and shown.wave_id = allowed.wave_id
        and shown.order_rank = allowed.order_rank
        and shown.row_key = allowed.row_key
    group by shown.gold_id, shown.wave_id

),

judged as (

    -- The rule of `ex`, the result at the end taken for a prediction.
    select
        changed.*,
        case
            when changed.n_start_rows = 0 and changed.n_end_rows = 0 then true
            when changed.n_start_rows <> changed.n_end_rows then false
            when changed.order_rule = 'none' then changed.is_multiset_match
            when changed.order_rule = 'strict' then false
            when not changed.has_same_width then false
            when changed.are_rows_missing then if(changed.is_multiset_match, null, false)
            else coalesce(placed.is_order_match, false)
        end as is_match,
    from changed
    left join placed
        on changed.gold_id = placed.gold_id
        and changed.wave_id = placed.wave_id

)

select
    gold_id,
    wave_id,
    benchmark,
    question_id,
    gold_edition,
    gold_number,
    start_result_id,
    end_result_id,
    n_start_rows,
    n_end_rows,
    if(is_multiset_match, 'order', 'rows') as changed_in,
    not coalesce(is_match, true) as is_drifted,
from judged
