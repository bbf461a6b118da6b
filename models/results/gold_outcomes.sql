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

unkept_probes as (

    select * from {{ ref('gold_order_probes') }}
    where not is_kept

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
        outcomes.wave_id,
        outcomes.executed_at,
        -- On a live database a gold answers where it does so twice, at the start of the wave and at its end.
        coalesce(outcomes.end_outcome, 'answered') = 'answered' as has_end_answered,
        case
            when golds.stored_result_id is not null then 'answered'
            when not golds.has_database then 'no_database'
            when golds.is_other_dialect then 'refused'
            when outcomes.outcome = 'answered' and not has_end_answered then outcomes.end_outcome
            else coalesce(outcomes.outcome, 'not_run')
        end as outcome,
        case
            when golds.is_other_dialect then 'other_dialect'
            else coalesce(outcomes.error_class, outcomes.end_error_class)
        end as error_class,
        coalesce(outcomes.error_message, outcomes.end_error_message) as error_message,
        coalesce(golds.stored_result_id, if(has_end_answered, outcomes.result_id, null)) as result_id,
        case
            when golds.stored_result_id is null and outcomes.outcome = 'answered' then outcomes.end_result_id
        end as end_result_id,
        coalesce(outcomes.is_plan_sensitive, false) as is_plan_sensitive,
        coalesce(outcomes.is_row_sensitive, false) as is_row_sensitive,
        coalesce(outcomes.is_float_sensitive, false) as is_float_sensitive,
        outcomes.variant,
        coalesce(golds.is_question_ordered, golds.is_stored_result_ordered, syntax.is_ordered, false) as is_order_asked,
        coalesce(orders.is_limit_tie and orders.is_agreed, false) as is_limit_tie,
        unkept_probes.statement_id is not null as is_order_unkept,
        coalesce(syntax.limit_rows >= 0 or syntax.offset_rows > 0, false) as is_limited,
        case
            when golds.is_question_ordered and not coalesce(syntax.is_ordered, false) then 'no_order_by'
            when golds.statement_id is null and golds.stored_result_id is not null then 'stored_result'
            when syntax.order_probe_problem is not null then syntax.order_probe_problem
            when syntax.order_probe_sql is null and not coalesce(syntax.is_ordered, false) then null
            when unkept_probes.statement_id is not null then 'probe_not_kept'
            when orders.statement_id is null then 'probe_failed'
            when not orders.is_agreed then 'probe_disagrees'
        end as order_problem,
        orders.n_tie_groups,
    from golds
    -- A wave without an end does not count.
    left join outcomes
        on golds.statement_id = outcomes.statement_id
        and (outcomes.wave_id is null or outcomes.end_outcome is not null)
    left join syntax on golds.sql_id = syntax.sql_id
    left join orders
        on golds.statement_id = orders.statement_id
        and outcomes.wave_id is not distinct from orders.wave_id
    left join unkept_probes
        on golds.statement_id = unkept_probes.statement_id
        and outcomes.wave_id is not distinct from unkept_probes.wave_id

),

ruled as (

    select
        joined.* exclude (has_end_answered),
        results.n_rows,
        results.n_columns,
        results.is_cut,
        case
            when joined.is_limit_tie and (joined.is_order_asked or joined.n_tie_groups = 1) then 'tie_groups'
            when joined.is_order_unkept and joined.is_limited then 'tie_groups'
            when not joined.is_order_asked or results.n_rows <= 1 then 'none'
            when joined.order_problem is null or joined.order_problem = 'probe_not_kept' then 'tie_groups'
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
            when order_rule = 'tie_groups' then md5(concat_ws(chr(31), 'tie_groups', statement_id, wave_id))
            else order_rule
        end as order_id,
    from ruled

)

select * from keyed
