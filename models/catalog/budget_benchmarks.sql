with

studies as (

    select * from {{ ref('stg_studies') }}
    where study = 'budget'

)

select distinct benchmark
from studies
