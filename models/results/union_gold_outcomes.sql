with

golds as (

    select * from {{ ref('union_golds') }}

),

executions as (

    select * from {{ ref('executions') }}

),

results as (

    select * from {{ ref('results') }}

),

orders as (

    -- A union is of files.
    select * from {{ ref('gold_outcomes') }}
    where wave_id is null

),

side_by_side as (

    -- Like is compared with like: the untouched file with the untouched file where both ran on it, else the copies.
    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        golds.db_id,
        golds.gold_sql,
        golds.union_sql,
        golds.problem,
        own.variant,
        own.result_id as own_result_id,
        joined.outcome as union_outcome,
        joined.error_class as union_error_class,
        joined.error_message as union_error_message,
        joined.result_id as union_result_id,
    from golds
    inner join executions as own
        on golds.own_statement_id = own.statement_id
        and own.outcome = 'answered'
    left join executions as joined
        on golds.statement_id = joined.statement_id
        and own.variant = joined.variant
    qualify row_number() over (
        partition by golds.gold_id
        order by (joined.statement_id is not null) desc, (own.variant = 'untouched') desc, own.variant
    ) = 1

),

compared as (

    select
        side_by_side.*,
        orders.is_order_asked,
        orders.is_plan_sensitive,
        case
            when side_by_side.problem is not null then 'not_rewritten'
            when side_by_side.union_outcome is null then 'not_run'
            when side_by_side.union_outcome <> 'answered' then 'failed'
            when side_by_side.own_result_id = side_by_side.union_result_id then 'same'
            when own.multiset_signature is distinct from joined.multiset_signature or own.n_columns <> joined.n_columns
                then 'other_rows'
            when orders.is_order_asked then 'other_order'
            else 'same'
        end as status,
    from side_by_side
    inner join orders on side_by_side.gold_id = orders.gold_id
    left join results as own on side_by_side.own_result_id = own.result_id
    left join results as joined on side_by_side.union_result_id = joined.result_id

)

select * from compared
