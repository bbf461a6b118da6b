with

landed as (

    select * from {{ source('landing', 'encoders') }}

),

once as (

    select
        encoder,
        revision,
        benchmark,
        kind,
        settings,
        n_max_tokens,
        asked_at,
    from landed
    qualify row_number() over (partition by encoder, revision, benchmark order by landed_at desc) = 1

)

select * from once
