with

studies as (

    select * from {{ ref('stg_studies') }}
    where study = 'history'

),

logs as (

    select distinct
        history,
        benchmark as schema_benchmark,
    from {{ ref('stg_history_queries') }}

),

labelled as (

    select distinct benchmark
    from {{ ref('stg_history_labels') }}

),

latest as (

    select
        benchmark,
        arg_max(study_id, (registered_at, study_id)) as study_id,
        arg_max(options, (registered_at, study_id)) as options,
    from studies
    group by benchmark

),

asked_for as (

    select
        benchmark,
        study_id,
        coalesce(options ->> '$.history', benchmark) as history,
        options ->> '$.tasks' as tasks,
        options ->> '$.quality_set' as quality_set,
        options ->> '$.preliminary_set' as preliminary_set,
        options ->> '$.encoder' as encoder,
        try_cast(options ->> '$.as_of' as timestamptz) as as_of,
    from (
        select * replace (if(json_valid(options), options, '{}') as options) from latest
    )

),

placed as (

    select
        asked_for.benchmark,
        concat(asked_for.benchmark, '/history') as task_set,
        asked_for.history,
        if(logs.history is null, 'benchmark', 'log') as history_kind,
        coalesce(logs.schema_benchmark, asked_for.history) as schema_benchmark,
        coalesce(asked_for.tasks, if(labelled.benchmark is null, 'derived', 'published')) as tasks,
        asked_for.quality_set,
        asked_for.preliminary_set,
        asked_for.encoder,
        asked_for.as_of,
        asked_for.study_id,
    from asked_for
    left join logs on asked_for.history = logs.history
    left join labelled on asked_for.benchmark = labelled.benchmark

)

select * from placed
