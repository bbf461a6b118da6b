with

run_questions as (

    select * from {{ ref('run_questions') }}

),

cell_sets as (

    select * from {{ ref('cell_sets') }}
    where not is_derived

),

runs as (

    select * from {{ ref('stg_runs') }}

),

packings as (

    select * from {{ ref('packings') }}

),

conditions as (

    select * from {{ ref('conditions') }}

),

strata as (

    select * from {{ ref('collision_strata') }}

),

golds as (

    select * from {{ ref('golds') }}
    where gold_number = 1

),

coverage as (

    select * from {{ ref('label_coverage') }}
    where is_covered

),

gold_tables as (

    select * from {{ ref('gold_tables') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

needed as (

    -- The tables of each gold that was read, which may be none.
    select
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        coalesce(list(pool.table_number order by pool.table_number) filter (where pool.table_number is not null), [])
            as table_numbers,
        coalesce(string_agg(pool.prefixed_name, ',' order by pool.table_number), '') as prefixed_names,
        coalesce(string_agg(pool.bare_name, ',' order by pool.table_number), '') as bare_names,
    from golds
    inner join coverage on golds.gold_id = coverage.gold_id
    left join gold_tables on golds.gold_id = gold_tables.gold_id
    left join pool
        on gold_tables.benchmark = pool.benchmark
        and gold_tables.db_id = pool.db_id
        and gold_tables.table_key = pool.table_key
    group by golds.benchmark, golds.question_id, golds.gold_edition

),

placed as (

    select
        cell_sets.run_id,
        cell_sets.prediction_set,
        cell_sets.benchmark,
        cell_sets.model,
        run_questions.is_control,
        run_questions.is_planned,
        cell_sets.n_samples,
        runs.gold_edition,
        run_questions.dialect,
        run_questions.question_id,
        cell_sets.setting,
        cell_sets.ranker,
        cell_sets.representation,
        cell_sets.budget,
        cell_sets.condition,
        cell_sets.naming,
        case
            when packings.is_infeasible then 'over_cap'
            when packings.question_id is not null then 'ready'
            when conditions.needs_labels and not coalesce(strata.is_labelled, false) then 'no_labels'
            else 'no_ranking'
        end as status,
        list_has_all(packings.table_numbers, needed.table_numbers) as has_gold_tables,
        if(cell_sets.naming = 'bare', needed.bare_names, needed.prefixed_names) as gold_names,
    from run_questions
    inner join cell_sets on run_questions.run_id = cell_sets.run_id
    inner join runs on run_questions.run_id = runs.run_id
    inner join conditions on cell_sets.condition = conditions.condition
    left join packings
        on run_questions.benchmark = packings.benchmark
        and run_questions.question_id = packings.question_id
        and cell_sets.ranker = packings.ranker
        and cell_sets.representation = packings.representation
        and cell_sets.budget = packings.budget
        and cell_sets.condition = packings.condition
    left join strata
        on run_questions.benchmark = strata.benchmark
        and run_questions.question_id = strata.question_id
    left join needed
        on run_questions.benchmark = needed.benchmark
        and run_questions.question_id = needed.question_id
        and runs.gold_edition = needed.gold_edition

)

select * from placed
