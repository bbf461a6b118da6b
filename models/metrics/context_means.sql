with

cell_sets as (

    select * from {{ ref('cell_sets') }}

),

asked as (

    -- Of a run that has begun, the questions that it has begun with.
    select * from {{ ref('cell_questions') }}
    qualify is_planned = bool_and(is_planned) over (partition by run_id)

),

packings as (

    select * from {{ ref('packings') }}

),

recalls as (

    select * from {{ ref('table_recall') }}

),

slices as (

    select questions.*
    from {{ ref('question_slices') }} as questions
    inner join {{ ref('slices') }} as kinds on questions.slice_by = kinds.slice_by
    where kinds.is_for_cells

),

shown as (

    -- What a context holds is known whether or not anybody has answered yet.
    select
        asked.run_id,
        asked.benchmark,
        asked.question_id,
        asked.status,
        case when asked.status = 'ready' then packings.n_tokens end as n_tokens,
        case when asked.status = 'ready' then packings.n_tables end as n_tables,
        case when asked.status = 'ready' then recalls.recall end as recall,
        case when asked.status = 'ready' then recalls.is_fully_covered end as is_fully_covered,
    from asked
    left join packings
        on asked.benchmark = packings.benchmark
        and asked.question_id = packings.question_id
        and asked.ranker = packings.ranker
        and asked.representation = packings.representation
        and asked.budget = packings.budget
        and asked.condition = packings.condition
    left join recalls
        on asked.benchmark = recalls.benchmark
        and asked.question_id = recalls.question_id
        and asked.ranker = recalls.ranker
        and asked.representation = recalls.representation
        and asked.budget = recalls.budget
        and asked.condition = recalls.condition

),

by_run as (

    -- Recalls of a question are ratios of small numbers: rounded, their mean is the same in whatever order.
    select
        shown.run_id,
        slices.slice_by,
        slices.slice,
        count(*) as n_asked,
        count(*) filter (where shown.status = 'ready') as n_contexts,
        count(*) filter (where shown.status = 'over_cap') as n_infeasible,
        count(*) filter (where shown.status in ('no_labels', 'no_ranking')) as n_without_context,
        round(avg(shown.n_tokens), 9) as mean_context_tokens,
        round(avg(shown.n_tables), 9) as mean_packed_tables,
        count(shown.recall) as n_recalls,
        round(avg(shown.recall), 9) as mean_table_recall,
        count(*) filter (where shown.is_fully_covered) as n_fully_covered,
        round(
            count(*) filter (where shown.is_fully_covered) / nullif(count(shown.is_fully_covered), 0), 12
        ) as full_coverage,
    from shown
    inner join slices
        on shown.benchmark = slices.benchmark
        and shown.question_id = slices.question_id
    group by shown.run_id, slices.slice_by, slices.slice

),

by_set as (

    select
        cell_sets.prediction_set,
        cell_sets.benchmark,
        by_run.* exclude (run_id),
    from by_run
    inner join cell_sets on by_run.run_id = cell_sets.run_id

)

select * from by_set
