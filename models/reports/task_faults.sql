with

runs as (

    select * from {{ ref('task_runs') }}

),

verdicts as (

    select * from {{ ref('task_verdicts') }}

),

rules as (

    select * from {{ ref('task_rules') }}

),

looked_at as (

    select
        checks.*,
        verdicts.is_latest,
    from {{ ref('task_checks') }} as checks
    inner join verdicts
        on checks.task_run_id = verdicts.task_run_id
        and checks.draft_number = verdicts.draft_number
        and checks.revision = verdicts.revision
    where checks.is_passed is not null

),

counted as (

    select
        task_run_id,
        check_name,
        count(*) filter (where revision = 0) as n_first,
        count(*) filter (where revision = 0 and not is_passed) as n_failed_first,
        count(*) filter (where is_latest) as n_latest,
        count(*) filter (where is_latest and not is_passed) as n_failed_latest,
    from looked_at
    group by task_run_id, check_name

),

told as (

    select
        runs.benchmark,
        runs.model,
        counted.task_run_id,
        counted.check_name,
        rules.position,
        rules.severity,
        counted.n_first,
        counted.n_failed_first,
        counted.n_latest,
        counted.n_failed_latest,
        rules.description,
    from counted
    inner join runs on counted.task_run_id = runs.task_run_id
    inner join rules on counted.check_name = rules.check_name

)

select * from told
order by benchmark, task_run_id, position
