with

golds as (

    select * from {{ ref('golds') }}

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

orders as (

    select * from {{ ref('gold_orders') }}

),

results as (

    select * from {{ ref('results') }}

),

joined as (

    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        golds.db_id,
        golds.gold_sql,
        golds.sql_id,
        golds.statement_id,
        case
            when golds.stored_result_id is not null then 'answered'
            when not golds.has_database then 'no_database'
            when golds.is_other_dialect then 'refused'
            else coalesce(outcomes.outcome, 'not_run')
        end as outcome,
        if(golds.is_other_dialect, 'other_dialect', outcomes.error_class) as error_class,
        outcomes.error_message,
        coalesce(golds.stored_result_id, outcomes.result_id) as result_id,
        coalesce(outcomes.is_plan_sensitive, false) as is_plan_sensitive,
        coalesce(outcomes.is_row_sensitive, false) as is_row_sensitive,
        coalesce(outcomes.is_float_sensitive, false) as is_float_sensitive,
        outcomes.variant,
        coalesce(golds.is_question_ordered, golds.is_stored_result_ordered, syntax.is_ordered, false) as is_order_asked,
        coalesce(orders.is_limit_tie and orders.is_agreed, false) as is_limit_tie,
        case
            when golds.is_question_ordered and not coalesce(syntax.is_ordered, false) then 'no_order_by'
            when golds.statement_id is null and golds.stored_result_id is not null then 'stored_result'
            when syntax.order_probe_problem is not null then syntax.order_probe_problem
            when syntax.order_probe_sql is null and not coalesce(syntax.is_ordered, false) then null
            when orders.statement_id is null then 'probe_failed'
            when not orders.is_agreed then 'probe_disagrees'
        end as order_problem,
        orders.n_tie_groups,
    from golds
    left join outcomes on golds.statement_id = outcomes.statement_id
    left join syntax on golds.sql_id = syntax.sql_id
    left join orders on golds.statement_id = orders.statement_id

),

ruled as (

    select
        joined.*,
        results.n_rows,
        results.n_columns,
        results.is_cut,
        case
            when joined.is_limit_tie and (joined.is_order_asked or joined.n_tie_groups = 1) then 'tie_groups'
            when not joined.is_order_asked or results.n_rows <= 1 then 'none'
            when joined.order_problem is null then 'tie_groups'
            else 'strict'
        end as order_rule,
    from joined
    left join results on joined.result_id = results.result_id

),

keyed as (

    -- What decides how a result is compared with this gold, apart from the two results.
    select
        *,
        case
            when order_rule = 'tie_groups' then md5(concat_ws(chr(31), 'tie_groups', statement_id))
            else order_rule
        end as order_id,
    from ruled

)

select * from keyed
