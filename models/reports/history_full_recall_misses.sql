with

answers as (

    select * from {{ ref('history_accuracy') }}

),

scores as (

    select * from {{ ref('score_history_retrieval') }}
    where knowledge_type = 'all'

),

verdicts as (

    select * from {{ ref('execution_match') }}
    where is_judged and not ex

),

missed as (

    select
        answers.task_set,
        answers.model,
        answers.pipeline,
        answers.history_setting,
        answers.encoder,
        verdicts.prediction_set,
        verdicts.prediction_id,
        verdicts.question_id,
        verdicts.db_id,
        verdicts.sample,
        verdicts.outcome,
        verdicts.reason,
        scores.n_shots,
        scores.n_required,
        scores.n_retrieved,
        round(scores.n_covered / scores.n_retrieved, 12) as precision,
    from answers
    inner join verdicts
        on answers.prediction_set = verdicts.prediction_set
        and answers.benchmark = verdicts.benchmark
    inner join scores
        on answers.task_set = scores.task_set
        and answers.encoder = scores.encoder
        and answers.history_setting = scores.history_setting
        and verdicts.question_id = scores.question_id
    where scores.n_covered = scores.n_required

)

select * from missed
order by task_set, prediction_set, precision, question_id, sample
