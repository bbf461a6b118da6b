with

runs as (

    select * from {{ ref('stg_runs') }}

),

cells as (

    select * from {{ ref('cells') }}

),

imports as (

    select * from {{ ref('stg_imports') }}
    where is_current and prediction_set is not null

),

said as (

    select
        runs.prediction_set,
        runs.benchmark,
        cells.naming as namespace,
    from runs
    left join cells on runs.setting = cells.setting

    union all

    select
        prediction_set,
        benchmark,
        options ->> '$.namespace' as namespace,
    from imports

),

namespaces as (

    select
        prediction_set,
        benchmark,
        max(namespace) as namespace,
    from said
    group by prediction_set, benchmark

)

select * from namespaces
