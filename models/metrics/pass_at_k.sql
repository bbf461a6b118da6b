with

predictions as (

    select * from {{ ref('execution_match') }}
    where not is_derived

),

questions as (

    select
        prediction_set,
        benchmark,
        question_id,
        count(*) as n_samples,
        bool_and(is_judged) as is_judged,
        count(*) filter (where coalesce(ex, false)) as n_right,
    from predictions
    group by prediction_set, benchmark, question_id

),

set_sizes as (

    select
        prediction_set,
        benchmark,
        max(n_samples) as n_samples,
    from questions
    group by prediction_set, benchmark

),

counted as (

    -- Questions with fewer samples than the set asks for, or with one that is not judged, are in no denominator.
    select
        set_sizes.prediction_set,
        set_sizes.benchmark,
        set_sizes.n_samples,
        questions.n_right,
        count(*) as n_questions,
    from set_sizes
    inner join questions
        on set_sizes.prediction_set = questions.prediction_set
        and set_sizes.benchmark = questions.benchmark
        and set_sizes.n_samples = questions.n_samples
    where questions.is_judged
    group by set_sizes.prediction_set, set_sizes.benchmark, set_sizes.n_samples, questions.n_right

),

tried as (

    select
        *,
        unnest(range(1, n_samples + 1)) as k,
    from counted

),

summed as (

    select
        prediction_set,
        benchmark,
        n_samples,
        k,
        sum(n_questions * {{ pass_at_k('n_samples', 'n_right', 'k') }} order by n_right) as numerator,
        sum(n_questions)::bigint as denominator,
    from tried
    group by prediction_set, benchmark, n_samples, k

)

select
    prediction_set,
    benchmark,
    n_samples,
    k,
    round(numerator / denominator, 12) as value,
    round(numerator, 9) as numerator,
    denominator,
from summed
