with

placed_questions as (

    select * from {{ ref('placed_questions') }}

)

select * exclude (base_benchmark)
from placed_questions
where base_benchmark is null
