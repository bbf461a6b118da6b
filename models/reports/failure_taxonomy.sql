with

modes as (

    select * from {{ ref('failure_modes') }}

),

questions as (

    select * from {{ ref('placed_questions') }}

),

editions as (

    -- As it was run; and, of Oracle's dialect, as it would have run on 19c.
    select
        modes.*,
        'as run' as edition,
        modes.failure_mode as mode,
    from modes

    union all

    select
        modes.*,
        'oracle 19c' as edition,
        modes.failure_mode_19 as mode,
    from modes
    inner join questions
        on modes.benchmark = questions.benchmark
        and modes.question_id = questions.question_id
        and questions.engine_dialect = 'oracle'

)

select
    editions.benchmark,
    editions.prediction_set,
    editions.edition,
    coalesce(questions.tier::varchar, 'all') as tier,
    count(*) as n_predictions,
    count(editions.mode) as n_failures,
    {% for mode in ['f0', 'f1', 'f2', 'f3'] -%}
    count(*) filter (where editions.mode = '{{ mode.upper() }}') as n_{{ mode }},
    {% endfor -%}
    count(*) filter (where editions.mode is null and editions.is_non_idiomatic) as n_f4,
    {% for mode in ['f0', 'f1', 'f2', 'f3'] -%}
    n_{{ mode }} / nullif(n_failures, 0) as share_{{ mode }},
    {% endfor -%}
from editions
inner join questions
    on editions.benchmark = questions.benchmark
    and editions.question_id = questions.question_id
group by grouping sets (
    (editions.benchmark, editions.prediction_set, editions.edition),
    (editions.benchmark, editions.prediction_set, editions.edition, questions.tier)
)
-- Without tiers the rows of a tier would be those of all once more.
having grouping(questions.tier) = 1 or questions.tier is not null
order by editions.benchmark, editions.prediction_set, editions.edition, tier
