with

runs as (

    select * from {{ ref('stg_runs') }}

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

asked as (

    select
        runs.run_id,
        runs.prediction_set,
        runs.benchmark,
        runs.model,
        runs.gold_edition,
        questions.question_id,
        questions.db_id,
        questions.dialect,
        questions.question,
        golds.gold_sql,
        nearest_questions.nearest_gold_sql,
        unnest(range(1, runs.n_samples + 1)) as sample,
    from runs
    inner join questions on runs.benchmark = questions.benchmark
    left join golds
        on questions.benchmark = golds.benchmark
        and questions.question_id = golds.question_id
        and runs.gold_edition = golds.gold_edition
    left join nearest_questions
        on questions.benchmark = nearest_questions.benchmark
        and questions.question_id = nearest_questions.question_id

),

keyed as (

    -- Equal work is done once: the key holds what the answer depends on, not who asks for it.
    select
        md5(concat_ws(
            chr(31), 'answer', model, dialect, sample, coalesce(control_sql, ''), question
        )) as request_id,
        *,
        'answer' as purpose,
    from (
        select
            * exclude (nearest_gold_sql),
            case when model = 'control/nearest-history' then nearest_gold_sql else gold_sql end as control_sql,
        from asked
    )

)

select * from keyed
