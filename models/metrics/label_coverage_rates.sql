with

coverage as (

    select * from {{ ref('label_coverage') }}

),

golds as (

    select * from {{ ref('golds') }}

)

select
    coverage.benchmark,
    golds.gold_edition,
    count(*) filter (where coverage.is_covered) as numerator,
    count(*) as denominator,
    count(*) filter (where coverage.is_covered) / count(*) as rate,
    count(*) filter (where coverage.reason = 'no_catalog') as n_golds_without_catalog,
from coverage
inner join golds on coverage.gold_id = golds.gold_id
group by coverage.benchmark, golds.gold_edition
