-- A benchmark's questions can be scored, or are left out for exactly one of the reasons that are counted beside.
select *
from {{ ref('benchmark_coverage') }}
where
    n_scoreable_questions
    + n_questions_without_database
    + n_questions_with_failed_gold
    + n_questions_with_drifted_gold
    + n_questions_not_run
    + n_questions_without_gold
    <> n_questions
