with

supplementary as (

    select * from {{ ref('supplementary_verdicts') }}

),

constraint_verdicts as (

    select
        prediction_id,
        count(*) as n_constraints,
        count(*) filter (where status = 'violated') as n_violated,
        count(*) filter (where status = 'not_testable') as n_not_testable,
        -- NULL where nothing was tested.
        bool_or(case status when 'violated' then true when 'held' then false end) as is_constraint_violated,
    from {{ ref('constraint_verdicts') }}
    group by prediction_id

),

distractors as (

    select * from {{ ref('distractor_verdicts') }}

),

clauses as (

    select
        supplementary.prediction_id,
        coalesce(supplementary.ex, false) as is_ex_passing,
        supplementary.is_judged,
        supplementary.is_executed,
        supplementary.is_instance_judged and supplementary.instance_ex is not null as is_decided,
        case
            when supplementary.is_instance_judged
                then not supplementary.instance_ex
                    and supplementary.instance_signature = distractors.multiset_signature
        end as is_distractor_result,
        constraint_verdicts.is_constraint_violated,
        coalesce(constraint_verdicts.n_constraints, 0) as n_constraints,
        coalesce(constraint_verdicts.n_violated, 0) as n_violated,
        coalesce(constraint_verdicts.n_not_testable, 0) as n_not_testable,
    from supplementary
    left join constraint_verdicts on supplementary.prediction_id = constraint_verdicts.prediction_id
    left join distractors
        on supplementary.instance_benchmark = distractors.benchmark
        and supplementary.question_id = distractors.question_id

),

scored as (

    select
        *,
        case
            when not is_judged then null
            when not is_ex_passing then false
            when is_distractor_result or is_constraint_violated then true
            when is_decided then false
        end as is_silent_divergence,
    from clauses

)

select
    prediction_id,
    case when is_ex_passing then is_silent_divergence end as sd,
    case when is_executed then is_silent_divergence end as sd_executed,
    is_ex_passing,
    coalesce(is_ex_passing and is_distractor_result, false) as is_clause_a,
    coalesce(is_ex_passing and is_constraint_violated, false) as is_clause_b,
    n_constraints,
    n_violated,
    n_not_testable,
from scored
