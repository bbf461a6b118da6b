with

landed as (

    select * from {{ source('landing', 'runs') }}

),

said as (

    -- What older versions landed says nothing of planning: it had started.
    select * replace (coalesce(is_planned, false) as is_planned)
    from landed

),

planned_last as (

    select * from said
    qualify row_number() over (partition by prediction_set, benchmark order by landed_at desc) = 1 and is_planned

),

once as (

    -- A name belongs to the run that started under it last, until then to the one planned last.
    select * from said
    qualify row_number() over (partition by prediction_set, benchmark order by is_planned asc, landed_at desc) = 1

)

select
    once.run_id,
    once.prediction_set,
    once.benchmark,
    once.model,
    once.settings,
    once.setting,
    once.dialect,
    once.question_ids,
    once.gold_edition,
    once.n_samples,
    once.is_planned,
    once.purpose,
    once.started_at,
    not once.is_planned and planned_last.run_id is not null as is_extension_planned,
    case when not once.is_planned then planned_last.question_ids end as planned_question_ids,
from once
left join planned_last
    on once.prediction_set = planned_last.prediction_set
    and once.benchmark = planned_last.benchmark
