with

studies as (

    select * from {{ ref('stg_studies') }}
    where study = 'budget'

),

latest as (

    select
        benchmark,
        arg_max(study_id, (registered_at, study_id)) as study_id,
        arg_max(options, (registered_at, study_id)) as options,
        count(*) as n_studies,
    from studies
    group by benchmark

)

select * from latest
