with

landed as (

    select * from {{ source('landing', 'studies') }}

),

once as (

    select
        study_id,
        study,
        benchmark,
        options,
        registered_at,
    from landed
    qualify row_number() over (partition by study_id order by landed_at desc) = 1

)

select * from once
