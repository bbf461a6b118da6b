with

runs as (

    select * from {{ ref('stg_runs') }}

),

run_questions as (

    select * from {{ ref('run_questions') }}

),

prompts as (

    select * from {{ ref('prompts') }}

),

landed as (

    select * from {{ ref('stg_history_requests') }}

),

questions as (

    select * from {{ ref('questions') }}

),

golds as (

    select * from {{ ref('golds') }}
    where gold_number = 1

),

nearest_questions as (

    select * from {{ ref('nearest_questions') }}

),

cell_questions as (

    select * from {{ ref('cell_questions') }}

),

control_statements as (

    -- Statements that the benchmark's authors wrote beside the golds, for the controls that answer with them.
    select
        benchmark,
        question_id,
        gold_edition,
        dialect,
        'control/' || replace(role, '_', '-') as model,
        sql,
    from {{ ref('stg_question_statements') }}
    qualify row_number() over (partition by benchmark, question_id, gold_edition, dialect, role order by sql) = 1

),

asked as (

    select
        run_questions.run_id,
        run_questions.prediction_set,
        run_questions.benchmark,
        run_questions.model,
        run_questions.is_control,
        run_questions.is_planned,
        runs.gold_edition,
        run_questions.question_id,
        run_questions.question_position,
        run_questions.db_id,
        run_questions.dialect,
        run_questions.question,
        prompts.messages,
        prompts.context_id,
        prompts.n_context_tokens,
        case when not run_questions.is_control then coalesce(runs.settings, '{}') end as settings,
        golds.gold_sql,
        case
            when not run_questions.is_control then null
            when run_questions.model = 'control/nearest-history' then nearest_questions.nearest_gold_sql
            when run_questions.model in ('control/distractor', 'control/second-gold') then control_statements.sql
            -- In a cell, gold in the cell's names: it is written when it is asked for.
            when cell_questions.run_id is null then golds.gold_sql
        end as control_sql,
        case
            when run_questions.model = 'control/memorizer' then cell_questions.naming
            when run_questions.model = 'control/visible-gold' and cell_questions.has_gold_tables
                then cell_questions.naming
        end as control_naming,
        cell_questions.gold_names,
        unnest(range(1, runs.n_samples + 1)) as sample,
        coalesce(runs.purpose, 'answer') as purpose,
    from run_questions
    inner join runs on run_questions.run_id = runs.run_id
    left join prompts
        on run_questions.benchmark = prompts.benchmark
        and run_questions.question_id = prompts.question_id
        and run_questions.setting = prompts.setting
        and run_questions.dialect is not distinct from prompts.dialect
        and not run_questions.is_control
    left join golds
        on run_questions.benchmark = golds.benchmark
        and run_questions.question_id = golds.question_id
        and runs.gold_edition = golds.gold_edition
    left join nearest_questions
        on run_questions.benchmark = nearest_questions.benchmark
        and run_questions.question_id = nearest_questions.question_id
    left join control_statements
        on run_questions.benchmark = control_statements.benchmark
        and run_questions.question_id = control_statements.question_id
        and run_questions.dialect = control_statements.dialect
        and run_questions.model = control_statements.model
        and runs.gold_edition = control_statements.gold_edition
    left join cell_questions
        on run_questions.run_id = cell_questions.run_id
        and run_questions.question_id = cell_questions.question_id
    -- A cell without a context for a question does not ask it.
    where
        coalesce(cell_questions.status, 'ready') = 'ready'
        -- What shows past queries has landed as it was worded.
        and not coalesce(starts_with(run_questions.setting, 'history/'), false)

),

keyed as (

    -- Equal work is done once: the key holds what the answer depends on, not who asks for it.
    select
        case
            when is_control
                then md5(concat_ws(
                    chr(31),
                    purpose,
                    model,
                    dialect,
                    sample,
                    coalesce(control_sql, ''),
                    question,
                    case when control_naming is not null
                        then concat_ws(chr(31), control_naming, coalesce(gold_names, ''), coalesce(gold_sql, '')) end
                ))
            else md5(concat_ws(chr(31), purpose, messages, model, settings, sample))
        end as request_id,
        run_id,
        prediction_set,
        benchmark,
        model,
        gold_edition,
        question_id,
        question_position,
        db_id,
        dialect,
        question,
        gold_sql,
        control_sql,
        control_naming,
        messages,
        context_id,
        n_context_tokens,
        settings,
        sample,
        purpose,
        is_planned,
    from asked

),

of_history as (

    select
        landed.request_id,
        landed.run_id,
        runs.prediction_set,
        runs.benchmark,
        runs.model,
        runs.gold_edition,
        landed.subject_id as question_id,
        questions.question_position,
        landed.db_id,
        coalesce(runs.dialect, questions.dialect) as dialect,
        questions.question,
        landed.messages,
        coalesce(runs.settings, '{}') as settings,
        landed.sample,
        landed.purpose,
        runs.is_planned,
    from landed
    inner join runs on landed.run_id = runs.run_id
    -- What describes the history is about no question.
    left join questions
        on landed.purpose <> 'describe_history'
        and landed.benchmark = questions.benchmark
        and landed.subject_id = questions.question_id
    where landed.sample <= runs.n_samples

),

of_tasks as (

    -- What drafts, validates and fixes new tasks is about no question, but a draft.
    select
        request_id,
        task_run_id as run_id,
        'tasks/' || model as prediction_set,
        benchmark,
        model,
        draft_number::varchar as question_id,
        db_id,
        messages,
        settings,
        1 as sample,
        purpose,
        false as is_planned,
    from {{ ref('stg_task_requests') }}

),

requests as (

    select * from keyed
    union all by name
    select * from of_history
    union all by name
    select * from of_tasks

)

select * from requests
