with

golds as (

    select * from {{ ref('dialect_parity_golds') }}

)

select
    engine,
    dialect,
    is_supplementary,
    count(*) as n_golds,
    count(*) filter (where status = 'equal') as n_equal,
    count(*) filter (where status = 'different') as n_different,
    count(*) filter (where status in ('inexpressible', 'no_gold')) as n_inexpressible,
    count(*) filter (where status = 'unsupported') as n_unsupported,
    count(*) filter (where status in ('failed', 'refused', 'timed_out', 'crashed')) as n_failed,
    count(*) filter (where status in ('not_run', 'no_database', 'no_reference', 'rows_not_kept')) as n_not_compared,
    list(question_id order by question_id) filter (where status not in ('equal', 'not_run')) as exceptions,
    count(*) filter (where status not in ('equal', 'not_run') and exception_kind is null) as n_unexplained,
from golds
group by engine, dialect, is_supplementary
order by engine, is_supplementary
