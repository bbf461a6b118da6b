with

golds as (

    select * from {{ ref('union_golds') }}

),

outcomes as (

    select * from {{ ref('union_gold_outcomes') }}

),

counted as (

    select
        golds.benchmark,
        golds.gold_edition,
        count(*) as n_golds,
        count(outcomes.gold_id) as n_executable,
        count(*) filter (where outcomes.status = 'same') as n_same,
        count(*) filter (where outcomes.status in ('other_rows', 'other_order', 'failed')) as n_different,
        count(*) filter (where outcomes.status = 'not_rewritten') as n_not_rewritten,
        count(*) filter (where outcomes.status = 'not_run') as n_not_run,
    from golds
    left join outcomes on golds.gold_id = outcomes.gold_id
    group by golds.benchmark, golds.gold_edition

)

select
    *,
    n_same / nullif(n_executable, 0) as share_same,
from counted
