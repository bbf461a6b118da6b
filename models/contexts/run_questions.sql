with

runs as (

    select * from {{ ref('stg_runs') }}

),

questions as (

    select * from {{ ref('questions') }}

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
        and coalesce(runs.purpose, 'answer') in ('answer', 'preliminary_sql')

)

select * from asked
