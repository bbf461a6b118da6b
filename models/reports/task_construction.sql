with

runs as (

    select * from {{ ref('task_runs') }}

),

offered as (

    select distinct
        history,
        schema_benchmark,
        draft_number,
    from {{ ref('task_seeds') }}

),

verdicts as (

    select * from {{ ref('task_verdicts') }}
    where is_latest

),

wanted as (

    select
        runs.task_run_id,
        count(offered.draft_number) as n_offered,
    from runs
    left join offered
        on runs.history = offered.history
        and runs.schema_benchmark = offered.schema_benchmark
        and runs.n_drafts >= offered.draft_number
    group by runs.task_run_id

),

counted as (

    select
        task_run_id,
        count(*) as n_drafted,
        count(*) filter (where verdict = 'accepted') as n_accepted,
        {% for revision in range(4) -%}
        count(*) filter (where verdict = 'accepted' and revision = {{ revision }}) as n_accepted_at_{{ revision }},
        {% endfor -%}
        count(*) filter (where verdict = 'rejected') as n_rejected,
    from verdicts
    group by task_run_id

),

told as (

    select
        runs.benchmark,
        runs.history,
        runs.model,
        runs.settings,
        runs.task_run_id,
        runs.n_drafts,
        wanted.n_offered,
        coalesce(counted.n_drafted, 0) as n_drafted,
        coalesce(counted.n_accepted, 0) as n_accepted,
        {% for revision in range(4) -%}
        coalesce(counted.n_accepted_at_{{ revision }}, 0) as n_accepted_at_{{ revision }},
        {% endfor -%}
        coalesce(counted.n_rejected, 0) as n_rejected,
        greatest(wanted.n_offered - coalesce(counted.n_accepted, 0) - coalesce(counted.n_rejected, 0), 0)
            as n_unfinished,
        round(counted.n_accepted / nullif(counted.n_accepted + counted.n_rejected, 0), 9) as accepted_share,
    from runs
    inner join wanted on runs.task_run_id = wanted.task_run_id
    left join counted on runs.task_run_id = counted.task_run_id

)

select * from told
order by benchmark, task_run_id
