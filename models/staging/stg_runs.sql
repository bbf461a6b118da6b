with

landed as (

    select * from {{ source('landing', 'runs') }}

),

once as (

    -- A name belongs to the run that started under it, until then to the one planned last. What older versions
    -- landed says nothing of planning: it had started.
    select
        run_id,
        prediction_set,
        benchmark,
        model,
        settings,
        setting,
        dialect,
        question_ids,
        gold_edition,
        n_samples,
        coalesce(is_planned, false) as is_planned,
        started_at,
    from landed
    qualify row_number() over (
        partition by prediction_set, benchmark
        order by coalesce(is_planned, false) asc, landed_at desc
    ) = 1

)

select * from once
