with

verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

predictions as (

    select * from {{ ref('predictions') }}
    where namespace is not null

),

answers as (

    select * from {{ ref('translated_answers') }}

),

tables_read as (

    select * from {{ ref('tables_read') }}

),

lineage as (

    select
        answers.prediction_set,
        answers.benchmark,
        answers.question_id,
        answers.sample,
        count(tables_read.text_id) as n_tables_read,
        -- A name that the pool does not have lies in no database.
        count(*) filter (
            where tables_read.text_id is not null and tables_read.db_id is distinct from answers.db_id
        ) as n_tables_outside,
    from answers
    left join tables_read on answers.text_id = tables_read.text_id
    group by answers.prediction_set, answers.benchmark, answers.question_id, answers.sample

),

scored as (

    select
        predictions.prediction_id,
        case when verdicts.is_judged
            then coalesce(verdicts.ex_set, false) and coalesce(lineage.n_tables_outside = 0, false) end as ex_set_namespace,
        case when verdicts.is_judged
            then coalesce(verdicts.ex, false) and coalesce(lineage.n_tables_outside = 0, false) end as ex_namespace,
        lineage.n_tables_read,
        lineage.n_tables_outside,
    from predictions
    inner join verdicts on predictions.prediction_id = verdicts.prediction_id
    left join lineage
        on predictions.prediction_set = lineage.prediction_set
        and predictions.benchmark = lineage.benchmark
        and predictions.question_id = lineage.question_id
        and predictions.sample = lineage.sample

)

select * from scored
