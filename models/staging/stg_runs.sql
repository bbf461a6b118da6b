with

landed as (

    select * from {{ source('landing', 'runs') }}

),

once as (

    select
        run_id,
        prediction_set,
        benchmark,
        model,
        settings,
        gold_edition,
        n_samples,
        started_at,
    from landed
    qualify row_number() over (partition by run_id order by landed_at desc) = 1

)

select * from once
