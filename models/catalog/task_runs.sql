with

studies as (

    select
        *,
        if(json_valid(options), options, '{}') as read_options,
    from {{ ref('stg_studies') }}
    where study = 'tasks'

),

histories as (

    select * from {{ ref('history_benchmarks') }}

),

asked_for as (

    select
        benchmark,
        read_options ->> '$.model' as model,
        coalesce(read_options ->> '$.settings', '{}') as settings,
        max(try_cast(read_options ->> '$.n_drafts' as integer)) as n_drafts,
        min(registered_at) as registered_at,
    from studies
    group by benchmark, model, settings

),

keyed as (

    select
        md5(concat_ws(chr(31), asked_for.benchmark, histories.history, asked_for.model, asked_for.settings))
            as task_run_id,
        asked_for.benchmark,
        histories.history,
        histories.history_kind,
        histories.schema_benchmark,
        asked_for.model,
        asked_for.settings,
        asked_for.n_drafts,
        asked_for.registered_at,
    from asked_for
    inner join histories on asked_for.benchmark = histories.benchmark
    where asked_for.model is not null and asked_for.n_drafts > 0

),

numbered as (

    select
        *,
        row_number() over (partition by benchmark order by registered_at, task_run_id) as run_number,
    from keyed

)

select * from numbered
