with

construction as (

    select * from {{ ref('task_construction') }}

)

select * from construction
order by benchmark, task_run_id
