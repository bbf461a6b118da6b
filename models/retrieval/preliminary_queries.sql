with

tasks as (

    select * from {{ ref('history_tasks') }}

),

studied as (

    select * from {{ ref('history_benchmarks') }}

),

encoders as (

    select * from {{ ref('history_encoders') }}

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

verdicts as (

    select * from {{ ref('stg_history_verdicts') }}
    where sql is not null

),

questions as (

    select * from {{ ref('history_questions') }}

),

outlines as (

    select distinct
        outline_id,
        outline,
    from {{ ref('schema_outlines') }}

),

golds as (

    select
        benchmark,
        question_id,
        min(dialect) as dialect,
    from {{ ref('golds') }}
    group by benchmark, question_id

),

modes as (

    select unnest([true, false]) as uses_questions

),

predicted as (

    select
        tasks.task_set,
        tasks.question_id,
        verdicts.prediction_set as made_by,
        null::varchar as history_query_id,
        verdicts.sql,
        sql_components(verdicts.sql, coalesce(golds.dialect, ''), coalesce(outlines.outline, '[]')).full_skeleton as full_skeleton,
    from tasks
    inner join studied on tasks.task_set = studied.task_set
    inner join verdicts
        on tasks.benchmark = verdicts.benchmark
        and studied.preliminary_set = verdicts.prediction_set
        and tasks.question_id = verdicts.question_id
    inner join questions
        on tasks.task_set = questions.task_set
        and tasks.question_id = questions.question_id
    left join outlines on questions.outline_id = outlines.outline_id
    left join golds
        on tasks.benchmark = golds.benchmark
        and tasks.question_id = golds.question_id

),

masked_scores as (

    select
        task_set,
        question_id,
        encoder,
        history,
        history_query_id,
        query_position,
        unnest([true, false]) as uses_questions,
        unnest([mqs, masked_description_score]) as score,
    from similarities

),

nearest as (

    -- Where no set is named, the nearest past query is the best guess there is.
    select
        masked_scores.task_set,
        masked_scores.question_id,
        masked_scores.encoder,
        masked_scores.uses_questions,
        'nearest script' as made_by,
        masked_scores.history_query_id,
        scripts.sql,
        scripts.full_skeleton,
    from masked_scores
    semi join studied
        on masked_scores.task_set = studied.task_set
        and studied.preliminary_set is null
    inner join scripts
        on masked_scores.history = scripts.history
        and masked_scores.history_query_id = scripts.history_query_id
    where masked_scores.score is not null
    qualify row_number() over (
        partition by
            masked_scores.task_set, masked_scores.question_id, masked_scores.encoder, masked_scores.uses_questions
        order by masked_scores.score desc, masked_scores.query_position asc, masked_scores.history_query_id asc
    ) = 1

),

unioned as (

    select
        predicted.task_set,
        predicted.question_id,
        encoders.encoder,
        modes.uses_questions,
        predicted.made_by,
        predicted.history_query_id,
        predicted.sql,
        predicted.full_skeleton,
    from predicted
    inner join encoders on predicted.task_set = encoders.task_set
    cross join modes

    union all

    select * from nearest

)

select * from unioned
where full_skeleton is not null
