with

golds as (

    select * from {{ ref('gold_outcomes') }}

),

questions as (

    select * from {{ ref('questions') }}

),

editions as (

    select
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        bool_or(golds.outcome = 'answered') as is_any_answered,
        bool_and(golds.outcome = 'no_database') as is_database_lost,
        bool_or(golds.outcome = 'not_run') as is_any_waiting,
        arg_min(golds.outcome, golds.gold_number) as first_outcome,
        arg_min(golds.error_class, golds.gold_number) as first_error_class,
        arg_min(golds.error_message, golds.gold_number) as first_error_message,
    from golds
    group by golds.benchmark, golds.question_id, golds.gold_edition

),

scoreability as (

    -- A property of question and snapshot, never of a prediction.
    select
        editions.benchmark,
        editions.question_id,
        editions.gold_edition,
        questions.db_id,
        questions.difficulty,
        questions.has_database,
        questions.has_database and editions.is_any_answered as is_scoreable,
        case
            when not questions.has_database or editions.is_database_lost then 'no_database'
            when editions.is_any_answered then 'scoreable'
            when editions.is_any_waiting then 'not_run'
            when editions.first_outcome = 'timed_out' then 'gold_timed_out'
            when editions.first_outcome = 'refused' then 'gold_refused'
            else 'gold_failed'
        end as status,
        editions.is_any_waiting as is_any_gold_waiting,
        editions.first_error_class as gold_error_class,
        editions.first_error_message as gold_error_message,
    from editions
    inner join questions
        on editions.benchmark = questions.benchmark
        and editions.question_id = questions.question_id

)

select * from scoreability
