with

runs as (

    select * from {{ ref('stg_runs') }}

),

cells as (

    select * from {{ ref('cells') }}

),

runnable as (

    -- The questions that can be judged: leaving the others out by name asks no less.
    select
        benchmark,
        list_sort(list(question_id)) as question_ids,
    from {{ ref('questions') }}
    where has_database
    group by benchmark

),

answering as (

    select
        runs.run_id,
        runs.prediction_set,
        runs.benchmark,
        runs.model,
        -- All that the answers depend on, but for the cell.
        md5(to_json(struct_pack(
            model := runs.model,
            settings := coalesce(runs.settings, '{}'),
            dialect := runs.dialect,
            questions := if(
                runs.question_ids is null,
                runnable.question_ids,
                list_filter(runnable.question_ids, lambda question_id: list_contains(runs.question_ids, question_id))
            ),
            gold_edition := runs.gold_edition,
            n_samples := runs.n_samples
        ))::varchar) as solver_id,
        runs.setting,
        cells.ranker,
        cells.representation,
        cells.budget,
        cells.condition,
        cells.naming,
        runs.n_samples,
        runs.is_planned,
    from runs
    inner join cells on runs.setting = cells.setting
    left join runnable on runs.benchmark = runnable.benchmark

),

everything as (

    select
        *,
        false as is_derived,
    from answering

    union all

    -- The majority of several samples answers where they did.
    select
        * replace (prediction_set || '/majority' as prediction_set),
        true as is_derived,
    from answering
    where n_samples > 1

)

select
    *,
    row_number() over (
        partition by benchmark, solver_id, setting, is_derived
        order by is_planned asc, prediction_set asc
    ) > 1 as is_repeat,
from everything
