with

runs as (

    select
        *,
        coalesce(purpose, 'answer') as asks_for,
    from {{ ref('stg_runs') }}

),

studied as (

    select * from {{ ref('history_benchmarks') }}

),

histories as (

    select distinct
        history,
        schema_benchmark,
    from studied

),

described as (

    -- What was said of past queries stays with them when the benchmark is put under study with another history.
    select
        run_id,
        min(history) as history,
    from {{ ref('stg_history_requests') }}
    where purpose = 'describe_history'
    group by run_id

),

history_runs as (

    select
        runs.run_id,
        runs.prediction_set,
        runs.benchmark,
        studied.task_set,
        coalesce(described.history, studied.history) as history,
        coalesce(histories.schema_benchmark, studied.schema_benchmark) as schema_benchmark,
        runs.asks_for as purpose,
        runs.model,
        coalesce(runs.settings, '{}') as settings,
        runs.n_samples,
        runs.is_planned,
        runs.started_at,
        case when runs.purpose is null then split_part(runs.setting, '/', 2) end as pipeline,
        case
            when runs.purpose is null then split_part(runs.setting, '/', 3)
            -- What older versions landed names no retriever: it was this one.
            when runs.purpose = 'filter_rerank' then coalesce(runs.setting, 'q_c_model')
        end as history_setting,
    from runs
    inner join studied on runs.benchmark = studied.benchmark
    left join described on runs.run_id = described.run_id
    left join histories on described.history = histories.history
    where
        (runs.purpose is null and starts_with(runs.setting, 'history/'))
        or runs.purpose in ('describe_history', 'extract_keywords', 'filter_rerank')

),

parsed as (

    select
        *,
        regexp_extract(
            history_setting,
            '^([a-z_]+)(?:-([0-9]+\.[0-9]+))?(?:-([0-9]+|dynamic))?(-unasked)?$',
            ['retriever', 'threshold', 'shots', 'unasked']
        ) as part,
    from history_runs

),

judged as (

    -- Of what serves retrieval, the answers of the run count that started last.
    select
        * exclude (part),
        nullif(part.retriever, '') as retriever,
        try_cast(part.threshold as double) as threshold,
        nullif(part.shots, '') as shots,
        case when history_setting is not null then part.unasked = '' end as uses_questions,
        purpose = 'answer'
        or (
            not is_planned
            and row_number() over (
                partition by
                    purpose, if(purpose = 'describe_history', history, benchmark), part.retriever, part.unasked, is_planned
                order by started_at desc, run_id asc
            ) = 1
        ) as is_in_use,
    from parsed

)

select * from judged
