with

live_questions as (

    select * from {{ ref('questions') }}
    where is_live

),

predictions as (

    select * from {{ ref('predictions') }}
    where statement_id is not null

),

golds as (

    select * from {{ ref('golds') }}
    where statement_id is not null

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

statements as (

    select * from {{ ref('statements') }}
    where connection is not null

),

executions as (

    -- What was lost with a connection or a worker says nothing of the statement.
    select
        *,
        outcome in ('crashed', 'no_database') or coalesce(error_class = 'connection', false) as is_lost,
    from {{ ref('executions') }}

),

gold_outcomes as (

    select
        *,
        outcome in ('crashed', 'no_database') or coalesce(error_class = 'connection', false) as is_lost,
    from {{ ref('gold_outcomes') }}

),

question_waves as (

    select * from {{ ref('question_waves') }}

),

prediction_waves as (

    select * from {{ ref('prediction_waves') }}

),

chosen_waves as (

    select
        *,
        outcome in ('crashed', 'no_database') or coalesce(error_class = 'connection', false) as is_lost,
        max(executed_at) over (partition by prediction_id) as newest_at,
    from prediction_waves
    qualify is_chosen

),

asked as (

    select
        predictions.prediction_id,
        predictions.statement_id,
        predictions.benchmark,
        predictions.question_id,
        predictions.gold_edition,
        chosen_waves.outcome,
        coalesce(chosen_waves.is_lost, false) as is_lost,
        -- A later wave, in which the question could be scored, shows that one more try may help.
        coalesce(not chosen_waves.is_scoreable, false) and exists (
            select 1 from question_waves
            where
                question_waves.benchmark = predictions.benchmark
                and question_waves.question_id = predictions.question_id
                and question_waves.gold_edition = predictions.gold_edition
                and question_waves.is_scoreable
                and question_waves.started_at > chosen_waves.newest_at
        ) as has_later_gold,
    from predictions
    inner join live_questions
        on predictions.benchmark = live_questions.benchmark
        and predictions.question_id = live_questions.question_id
    left join chosen_waves on predictions.prediction_id = chosen_waves.prediction_id

),

due_predictions as (

    select
        asked.statement_id,
        asked.benchmark,
        asked.question_id,
        asked.gold_edition,
        case
            when asked.outcome is null then 'not_run'
            when asked.outcome = 'timed_out' then 'timed_out'
            when asked.is_lost and executions.n_attempts < 2 then 'lost'
            else 'later_gold'
        end as due_because,
    from asked
    left join executions on asked.statement_id = executions.statement_id
    where
        asked.outcome is null
        or asked.outcome = 'timed_out'
        or (asked.is_lost and executions.n_attempts < 2)
        or asked.has_later_gold

),

run_golds as (

    select
        golds.statement_id,
        golds.sql_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        statements.engine,
        statements.snapshot_id,
    from golds
    inner join statements on golds.statement_id = statements.statement_id

),

gold_states as (

    -- A gold is done once it has an outcome that stays, in a wave with a start and an end.
    select
        run_golds.statement_id,
        bool_or(gold_outcomes.wave_id is not null) as has_wave,
        bool_or(
            gold_outcomes.wave_id is not null and gold_outcomes.outcome <> 'timed_out' and not gold_outcomes.is_lost
        ) as is_done,
        bool_or(gold_outcomes.outcome = 'timed_out') as has_timed_out,
        any_value(executions.n_attempts) as n_attempts,
    from run_golds
    left join gold_outcomes on run_golds.statement_id = gold_outcomes.statement_id
    left join executions on run_golds.statement_id = executions.statement_id
    group by run_golds.statement_id

),

due_golds as (

    select
        statement_id,
        case
            when not has_wave then 'not_run'
            when has_timed_out then 'timed_out'
            else 'lost'
        end as due_because,
    from gold_states
    where not has_wave or (not is_done and (has_timed_out or n_attempts < 2))

),

needs as (

    select
        run_golds.statement_id,
        list(distinct due_predictions.statement_id order by due_predictions.statement_id)
            filter (where due_predictions.statement_id <> run_golds.statement_id) as needed_by,
    from run_golds
    inner join due_predictions
        on run_golds.benchmark = due_predictions.benchmark
        and run_golds.question_id = due_predictions.question_id
        and run_golds.gold_edition = due_predictions.gold_edition
    group by run_golds.statement_id

),

gold_reasons as (

    select
        run_golds.statement_id,
        run_golds.engine,
        run_golds.snapshot_id,
        run_golds.sql_id,
        coalesce(due_golds.due_because, 'needed') as due_because,
        needs.needed_by,
    from (select distinct statement_id, engine, snapshot_id, sql_id from run_golds) as run_golds
    left join due_golds on run_golds.statement_id = due_golds.statement_id
    left join needs on run_golds.statement_id = needs.statement_id
    where due_golds.statement_id is not null or needs.statement_id is not null

),

probe_reasons as (

    -- Its order keys are asked of the same rows as the gold.
    select
        {{ statement_id('gold_reasons.engine', 'gold_reasons.snapshot_id', 'syntax.order_probe_sql') }} as statement_id,
        gold_reasons.due_because,
        gold_reasons.needed_by,
    from gold_reasons
    inner join syntax on gold_reasons.sql_id = syntax.sql_id
    where syntax.order_probe_sql is not null

),

draft_reasons as (

    select
        statements.statement_id,
        case
            when executions.statement_id is null then 'not_run'
            when executions.outcome = 'timed_out' then 'timed_out'
            else 'lost'
        end as due_because,
    from statements
    left join executions on statements.statement_id = executions.statement_id
    where
        statements.is_draft
        and (
            executions.statement_id is null
            or executions.outcome = 'timed_out'
            or (executions.is_lost and executions.n_attempts < 2)
        )

),

reasons as (

    select
        statement_id,
        due_because,
        null::varchar[] as needed_by,
    from due_predictions

    union all

    select
        statement_id,
        due_because,
        needed_by,
    from gold_reasons

    union all

    select
        statement_id,
        due_because,
        needed_by,
    from probe_reasons

    union all

    select
        statement_id,
        due_because,
        null::varchar[] as needed_by,
    from draft_reasons

),

due as (

    select
        statement_id,
        list_sort(list(distinct due_because)) as due_because,
        bool_and(due_because = 'needed') as is_rerun,
        list_sort(list_distinct(flatten(list(coalesce(needed_by, []))))) as needed_by,
    from reasons
    group by statement_id

)

select * from due
