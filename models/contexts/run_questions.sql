with

runs as (

    select * from {{ ref('stg_runs') }}

),

questions as (

    select * from {{ ref('questions') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

asked as (

    select
        runs.run_id,
        runs.prediction_set,
        runs.benchmark,
        runs.model,
        starts_with(runs.model, 'control/') as is_control,
        runs.setting,
        runs.is_planned or not (
            runs.question_ids is null or list_contains(runs.question_ids, questions.question_id)
        ) as is_planned,
        questions.question_id,
        questions.question_position,
        questions.db_id,
        coalesce(runs.dialect, questions.dialect) as dialect,
        questions.question,
        questions.evidence,
    from runs
    inner join questions on runs.benchmark = questions.benchmark
    left join tasks
        on questions.benchmark = tasks.benchmark
        and questions.question_id = tasks.question_id
    where
        (
            runs.question_ids is null
            or list_contains(runs.question_ids, questions.question_id)
            or (
                runs.is_extension_planned
                and (
                    runs.planned_question_ids is null
                    or list_contains(runs.planned_question_ids, questions.question_id)
                )
            )
        )
        -- What serves retrieval answers no question.
        and (
            coalesce(runs.purpose, 'answer') = 'answer'
            -- What retrieval looks at is asked for its tasks alone.
            or (runs.purpose = 'preliminary_sql' and tasks.question_id is not null)
        )

)

select * from asked
