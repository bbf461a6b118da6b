with

scores as (

    select * from {{ ref('question_scores') }}

),

summed as (

    -- Of questions that were answered at least twice.
    select
        prediction_set,
        benchmark,
        protocol,
        metric,
        count(*) as n_questions,
        min(n_samples) as n_samples_least,
        max(n_samples) as n_samples_most,
        avg(numerator) as value,
        avg(sample_variance) as variance_of_one_answer,
        sum(sample_variance / n_samples) as variance_of_means,
        var_samp(numerator) as variance_of_questions,
    from scores
    where sample_variance is not null
    group by prediction_set, benchmark, protocol, metric

)

select
    prediction_set,
    benchmark,
    protocol,
    metric,
    n_questions,
    n_samples_least,
    n_samples_most,
    round(value, 9) as value,
    round(variance_of_one_answer, 9) as variance_of_one_answer,
    round(sqrt(variance_of_means) / n_questions, 9) as decode_standard_error,
    round(sqrt(variance_of_questions / n_questions), 9) as standard_error,
    round(variance_of_means / n_questions / nullif(variance_of_questions, 0), 9) as decode_share,
from summed
