with

second_golds as (

    select
        prediction_set,
        benchmark,
        gold_edition,
    from {{ ref('stg_runs') }}
    where model = 'control/second-gold'

),

predictions as (

    select * from {{ ref('execution_match') }}

),

questions as (

    select * from {{ ref('bank_questions') }}

),

statements as (

    select * from {{ ref('bank_statements') }}

),

revised as (

    -- The first pass of a text is kept only where it was revised.
    select distinct question_id
    from statements
    where edition = 'first_pass'

),

compared as (

    select
        predictions.benchmark,
        predictions.question_id,
        case when predictions.gold_edition = 'benchmark' then 'final' else predictions.gold_edition end as edition,
        questions.category_group,
        questions.category,
        revised.question_id is not null as is_revised,
        predictions.ex as is_agreed,
        predictions.outcome,
        predictions.reason,
        predictions.prediction_set,
    from predictions
    inner join second_golds
        on predictions.prediction_set = second_golds.prediction_set
        and predictions.benchmark = second_golds.benchmark
        and predictions.gold_edition = second_golds.gold_edition
    inner join questions on predictions.question_id = questions.question_id
    left join revised on questions.question_id = revised.question_id

)

select * from compared
order by benchmark, question_id, edition, prediction_set
