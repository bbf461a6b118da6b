with

scores as (

    select * from {{ ref('score_namespace') }}
    where n_tables_outside > 0

),

verdicts as (

    select * from {{ ref('prediction_verdicts') }}
    where is_judged

),

predictions as (

    select * from {{ ref('predictions') }}

),

answers as (

    select * from {{ ref('translated_answers') }}

),

tables_read as (

    select * from {{ ref('tables_read') }}

),

outside as (

    select
        predictions.prediction_id,
        predictions.prediction_set,
        predictions.benchmark,
        predictions.question_id,
        predictions.sample,
        predictions.db_id as gold_db_id,
        tables_read.name as table_read,
        tables_read.db_id,
        tables_read.table_key,
        verdicts.ex_set as is_changed_ex_set,
        verdicts.ex as is_changed_ex,
    from scores
    inner join verdicts on scores.prediction_id = verdicts.prediction_id
    inner join predictions on scores.prediction_id = predictions.prediction_id
    inner join answers
        on predictions.prediction_set = answers.prediction_set
        and predictions.benchmark = answers.benchmark
        and predictions.question_id = answers.question_id
        and predictions.sample = answers.sample
    inner join tables_read on answers.text_id = tables_read.text_id
    where tables_read.db_id is distinct from answers.db_id

)

select * from outside
