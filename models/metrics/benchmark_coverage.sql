with

scoreability as (

    select * from {{ ref('question_scoreability') }}
    where gold_edition = 'benchmark'

),

questions as (

    select * from {{ ref('placed_questions') }}

)

select
    questions.benchmark,
    count(*) as n_questions,
    count(*) filter (where not questions.has_database or scoreability.status = 'no_database') as n_questions_without_database,
    count(*) filter (where scoreability.is_scoreable) as n_scoreable_questions,
    count(*) filter (where scoreability.status in ('gold_failed', 'gold_timed_out', 'gold_refused'))
        as n_questions_with_failed_gold,
    count(*) filter (where scoreability.status = 'gold_drifted') as n_questions_with_drifted_gold,
    count(*) filter (where scoreability.status = 'gold_unsupported') as n_questions_with_unsupported_gold,
    count(*) filter (where scoreability.status = 'not_run') as n_questions_not_run,
    count(*) filter (where questions.has_database and scoreability.question_id is null) as n_questions_without_gold,
from questions
left join scoreability
    on questions.benchmark = scoreability.benchmark
    and questions.question_id = scoreability.question_id
group by questions.benchmark
