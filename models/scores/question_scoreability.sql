with

question_waves as (

    select * from {{ ref('question_waves') }}

),

prediction_waves as (

    select * from {{ ref('prediction_waves') }}
    where is_chosen

),

predictions as (

    select * from {{ ref('predictions') }}

),

questions as (

    select * from {{ ref('placed_questions') }}

),

waves_in_use as (

    select distinct
        predictions.benchmark,
        predictions.question_id,
        predictions.gold_edition,
        prediction_waves.wave_id,
    from prediction_waves
    inner join predictions on prediction_waves.prediction_id = predictions.prediction_id

),

considered as (

    -- The waves in which some set's prediction is scored; where none is, the newest.
    select
        question_waves.*,
        waves_in_use.wave_id is not null as is_in_use,
    from question_waves
    left join waves_in_use
        on question_waves.benchmark = waves_in_use.benchmark
        and question_waves.question_id = waves_in_use.question_id
        and question_waves.gold_edition = waves_in_use.gold_edition
        and question_waves.wave_id = waves_in_use.wave_id
    qualify
        is_in_use
        or row_number() over (
            partition by question_waves.benchmark, question_waves.question_id, question_waves.gold_edition
            order by is_in_use desc, question_waves.started_at desc, question_waves.wave_id
        ) = 1

),

editions as (

    -- A question that cannot be scored in one of them is out for every set alike, for the newest of the reasons.
    select
        *,
        bool_or(is_any_waiting) over (partition by benchmark, question_id, gold_edition) as is_any_gold_waiting,
    from considered
    qualify row_number() over (
        partition by benchmark, question_id, gold_edition
        order by is_scoreable asc, started_at desc, wave_id
    ) = 1

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
        questions.has_database and editions.is_scoreable as is_scoreable,
        case
            when not questions.has_database or editions.is_database_lost then 'no_database'
            when editions.is_drifted then 'gold_drifted'
            when editions.is_unsupported then 'gold_unsupported'
            when editions.is_scoreable then 'scoreable'
            when editions.is_any_waiting then 'not_run'
            when editions.first_outcome = 'timed_out' then 'gold_timed_out'
            when editions.first_outcome = 'refused' then 'gold_refused'
            else 'gold_failed'
        end as status,
        editions.wave_id,
        editions.is_any_gold_waiting,
        editions.first_error_class as gold_error_class,
        editions.first_error_message as gold_error_message,
    from editions
    inner join questions
        on editions.benchmark = questions.benchmark
        and editions.question_id = questions.question_id

)

select * from scoreability
