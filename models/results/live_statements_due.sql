with

live_questions as (

    select * from {{ ref('placed_questions') }}
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

    select * from {{ ref('executions') }}

),

losses as (

    -- What was lost with a connection or a worker says nothing of the statement, and is tried twice.
    select
        statement_id,
        count(distinct wave_id) as n_losses,
    from {{ ref('wave_executions') }} as attempts
    where {{ is_lost('attempts') }}
    group by statement_id

),

gold_outcomes as (

    select
        *,
        {{ is_lost('attempts') }} as is_lost,
    from {{ ref('gold_outcomes') }} as attempts

),

question_waves as (

    -- Those that count, and whether a question could be scored in the newest.
    select
        *,
        not is_scoreable
        and row_number() over (
            partition by benchmark, question_id, gold_edition
            order by started_at desc, wave_id
        ) = 1 as is_newest_unscoreable,
    from {{ ref('question_waves') }}
    where wave_id is not null

),

prediction_waves as (

    select * from {{ ref('prediction_waves') }}

),

chosen_waves as (

    select
        *,
        {{ is_lost('prediction_waves') }} as is_lost,
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
        coalesce(chosen_waves.is_lost, false) and coalesce(losses.n_losses, 0) < 2 as is_lost,
        judged_in.wave_id is not null as is_unscoreable,
        -- A later wave, in which the question could be scored, shows that one more try may help.
        judged_in.wave_id is not null and exists (
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
    left join question_waves as judged_in
        on predictions.benchmark = judged_in.benchmark
        and predictions.question_id = judged_in.question_id
        and predictions.gold_edition = judged_in.gold_edition
        and chosen_waves.wave_id = judged_in.wave_id
        and not judged_in.is_scoreable
    left join losses on predictions.statement_id = losses.statement_id

),

due_predictions as (

    select
        *,
        list_filter([
            if(outcome is null, 'not_run', null),
            if(outcome = 'timed_out', 'timed_out', null),
            if(is_lost, 'lost', null),
            if(has_later_gold, 'later_gold', null),
            if(is_unscoreable, 'unscoreable', null)
        ], lambda reason: reason is not null) as due_because,
    from asked
    where len(due_because) > 0

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

question_states as (

    select
        benchmark,
        question_id,
        gold_edition,
        bool_or(is_newest_unscoreable) as is_unscoreable,
    from question_waves
    group by benchmark, question_id, gold_edition

),

gold_states as (

    -- A gold is done once it has an outcome that stays, in a wave that counts for each of its questions.
    select
        run_golds.statement_id,
        bool_or(question_states.question_id is null) as is_not_run,
        bool_or(question_states.is_unscoreable) as is_unscoreable,
    from run_golds
    left join question_states
        on run_golds.benchmark = question_states.benchmark
        and run_golds.question_id = question_states.question_id
        and run_golds.gold_edition = question_states.gold_edition
    group by run_golds.statement_id

),

gold_attempts as (

    select
        statement_id,
        bool_or(outcome <> 'timed_out' and not is_lost) as is_done,
        bool_or(outcome = 'timed_out') as has_timed_out,
        bool_or(is_lost) as has_been_lost,
    from gold_outcomes
    where wave_id is not null
    group by statement_id

),

due_golds as (

    select
        gold_states.statement_id,
        list_filter([
            if(gold_states.is_not_run, 'not_run', null),
            if(gold_attempts.has_timed_out and not gold_attempts.is_done, 'timed_out', null),
            if(
                gold_attempts.has_been_lost and not gold_attempts.is_done and coalesce(losses.n_losses, 0) < 2,
                'lost',
                null
            ),
            if(gold_states.is_unscoreable, 'unscoreable', null)
        ], lambda reason: reason is not null) as due_because,
    from gold_states
    left join gold_attempts on gold_states.statement_id = gold_attempts.statement_id
    left join losses on gold_states.statement_id = losses.statement_id

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
        list_concat(due_golds.due_because, if(needs.statement_id is not null, ['needed'], [])) as due_because,
        needs.needed_by,
    from (select distinct statement_id, engine, snapshot_id, sql_id from run_golds) as run_golds
    inner join due_golds on run_golds.statement_id = due_golds.statement_id
    left join needs on run_golds.statement_id = needs.statement_id
    where len(due_golds.due_because) > 0 or needs.statement_id is not null

),

probe_reasons as (

    -- Its order keys are asked of the same rows as the gold: whenever that runs, also as somebody's prediction.
    select
        {{ statement_id('gold_reasons.engine', 'gold_reasons.snapshot_id', 'syntax.order_probe_sql') }} as statement_id,
        gold_reasons.due_because,
        list_append(gold_reasons.needed_by, gold_reasons.statement_id) as needed_by,
    from gold_reasons
    inner join syntax on gold_reasons.sql_id = syntax.sql_id
    where syntax.order_probe_sql is not null

),

draft_reasons as (

    select
        statements.statement_id,
        [
            case
                when executions.statement_id is null then 'not_run'
                when executions.outcome = 'timed_out' then 'timed_out'
                else 'lost'
            end
        ] as due_because,
    from statements
    left join executions on statements.statement_id = executions.statement_id
    left join losses on statements.statement_id = losses.statement_id
    where
        statements.is_draft
        and (
            executions.statement_id is null
            or executions.outcome = 'timed_out'
            or ({{ is_lost('executions') }} and losses.n_losses < 2)
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
        list_sort(list_distinct(flatten(list(due_because)))) as due_because,
        list_sort(list_distinct(flatten(list(coalesce(needed_by, []))))) as needed_by,
    from reasons
    group by statement_id

)

select * from due
