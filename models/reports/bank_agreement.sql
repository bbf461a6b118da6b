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

    select * from {{ ref('placed_questions') }}

),

golds as (

    select
        benchmark,
        question_id,
        gold_edition,
        gold_sql as sql,
    from {{ ref('golds') }}

    union all

    select
        benchmark,
        question_id,
        gold_edition,
        sql,
    from {{ ref('stg_question_statements') }}
    where role = 'second_gold'

),

revised as (

    -- Both editions of a text are landed; they differ where it was revised after the first comparison.
    select
        benchmark,
        question_id,
        list_sort(list(sql) filter (where gold_edition = 'benchmark'))
            <> list_sort(list(sql) filter (where gold_edition = 'first_pass')) as is_revised,
    from golds
    group by benchmark, question_id

),

compared as (

    select
        predictions.benchmark,
        predictions.question_id,
        case when predictions.gold_edition = 'benchmark' then 'final' else predictions.gold_edition end as edition,
        questions.category_group,
        questions.category,
        revised.is_revised,
        predictions.ex as is_agreed,
        predictions.outcome,
        predictions.reason,
        predictions.prediction_set,
    from predictions
    inner join second_golds
        on predictions.prediction_set = second_golds.prediction_set
        and predictions.benchmark = second_golds.benchmark
        and predictions.gold_edition = second_golds.gold_edition
    inner join questions
        on predictions.benchmark = questions.benchmark
        and predictions.question_id = questions.question_id
    inner join revised
        on predictions.benchmark = revised.benchmark
        and predictions.question_id = revised.question_id

)

select * from compared
order by benchmark, question_id, edition, prediction_set
