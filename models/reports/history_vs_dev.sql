with

studied as (

    select * from {{ ref('history_benchmarks') }}
    where history_kind = 'benchmark'

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

runs as (

    select * from {{ ref('stg_runs') }}

),

majorities as (

    select distinct
        from_prediction_set,
        prediction_set,
        benchmark,
    from {{ ref('majority_choices') }}

),

scores as (

    select * from {{ ref('question_scores') }}
    where protocol = 'evalhouse' and metric in ('ex', 'ex_set')

),

solvers as (

    -- Who answers alike on two benchmarks: the same model, settings and prompt, or a set imported under one name.
    select
        scores.*,
        runs.model,
        runs.setting,
        coalesce(
            to_json(struct_pack(
                model := runs.model, settings := coalesce(runs.settings, '{}'), setting := runs.setting,
                n_samples := runs.n_samples, is_majority := majorities.prediction_set is not null
            ))::varchar,
            scores.prediction_set
        ) as solver,
    from scores
    left join majorities
        on scores.prediction_set = majorities.prediction_set
        and scores.benchmark = majorities.benchmark
    left join runs
        on coalesce(majorities.from_prediction_set, scores.prediction_set) = runs.prediction_set
        and scores.benchmark = runs.benchmark
    -- A setting of retrieval shows past queries, which the dev set has none of.
    where not starts_with(coalesce(runs.setting, ''), 'history/')

),

on_tasks as (

    select
        studied.task_set,
        solvers.solver,
        solvers.metric,
        solvers.prediction_set,
        any_value(solvers.model) as model,
        any_value(solvers.setting) as setting,
        count(*) as n_questions,
        round(sum(solvers.numerator) / count(*), 12) as value,
    from studied
    inner join solvers on studied.benchmark = solvers.benchmark
    inner join tasks
        on studied.task_set = tasks.task_set
        and solvers.question_id = tasks.question_id
    group by studied.task_set, solvers.solver, solvers.metric, solvers.prediction_set

),

on_dev as (

    select
        studied.task_set,
        solvers.solver,
        solvers.metric,
        solvers.prediction_set,
        count(*) as n_questions,
        round(sum(solvers.numerator) / count(*), 12) as value,
    from studied
    inner join solvers on studied.history = solvers.benchmark
    group by studied.task_set, solvers.solver, solvers.metric, solvers.prediction_set

),

held_together as (

    select
        on_tasks.task_set,
        on_tasks.metric,
        on_tasks.prediction_set as task_prediction_set,
        on_dev.prediction_set as dev_prediction_set,
        on_tasks.model,
        on_tasks.setting,
        on_tasks.n_questions as n_tasks,
        on_tasks.value as value_on_tasks,
        {{ wilson_bound('on_tasks.value', 'on_tasks.n_questions', -1) }} as wilson_low_on_tasks,
        {{ wilson_bound('on_tasks.value', 'on_tasks.n_questions', 1) }} as wilson_high_on_tasks,
        on_dev.n_questions as n_dev_questions,
        on_dev.value as value_on_dev,
        {{ wilson_bound('on_dev.value', 'on_dev.n_questions', -1) }} as wilson_low_on_dev,
        {{ wilson_bound('on_dev.value', 'on_dev.n_questions', 1) }} as wilson_high_on_dev,
        round(on_tasks.value - on_dev.value, 12) as difference,
    from on_tasks
    inner join on_dev
        on on_tasks.task_set = on_dev.task_set
        and on_tasks.solver = on_dev.solver
        and on_tasks.metric = on_dev.metric

)

select * from held_together
order by task_set, metric, value_on_tasks desc, task_prediction_set, dev_prediction_set
