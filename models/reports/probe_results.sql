with

verdicts as (

    select * from {{ ref('prediction_verdicts') }}
    where is_judged

),

divergence as (

    select * from {{ ref('score_formal_divergence') }}

),

questions as (

    select * from {{ ref('questions') }}

),

probed as (

    -- Benchmarks with probes alone.
    select distinct benchmark
    from questions
    where is_sd_probe

)

select
    verdicts.benchmark,
    verdicts.prediction_set,
    questions.is_sd_probe,
    count(*) as n_questions,
    count(*) filter (where verdicts.is_executed) as n_executed,
    count(*) filter (where verdicts.ex) as n_ex_passing,
    n_ex_passing / nullif(n_executed, 0) as ex_executed,
    count(*) filter (where divergence.sd) as n_silent,
    count(divergence.sd) as n_sd_tested,
    n_silent / nullif(n_sd_tested, 0) as sd,
from verdicts
inner join questions
    on verdicts.benchmark = questions.benchmark
    and verdicts.question_id = questions.question_id
inner join probed on verdicts.benchmark = probed.benchmark
left join divergence on verdicts.prediction_id = divergence.prediction_id
group by verdicts.benchmark, verdicts.prediction_set, questions.is_sd_probe
order by verdicts.benchmark, verdicts.prediction_set, questions.is_sd_probe desc
