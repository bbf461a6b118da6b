with

golds as (

    select * from {{ ref('gold_outcomes') }}

),

drifts as (

    select * from {{ ref('gold_drifts') }}
    where is_drifted

),

asked as (

    select
        benchmark,
        question_id,
        gold_edition,
        count(distinct gold_id) filter (where statement_id is not null) as n_run_golds,
    from golds
    group by benchmark, question_id, gold_edition

),

complete_waves as (

    -- A wave counts for a question when all of its golds ran at the wave's start and again at its end.
    select
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.wave_id,
    from golds
    inner join asked
        on golds.benchmark = asked.benchmark
        and golds.question_id = asked.question_id
        and golds.gold_edition = asked.gold_edition
    where golds.wave_id is not null
    group by golds.benchmark, golds.question_id, golds.gold_edition, golds.wave_id
    having count(*) = any_value(asked.n_run_golds)

),

waves as (

    select * from complete_waves

    union all

    -- Of a file there are no waves; of a live database there may be none yet.
    select
        asked.benchmark,
        asked.question_id,
        asked.gold_edition,
        null as wave_id,
    from asked
    anti join complete_waves
        on asked.benchmark = complete_waves.benchmark
        and asked.question_id = complete_waves.question_id
        and asked.gold_edition = complete_waves.gold_edition

),

golds_in_waves as (

    -- A gold that came as a result, or that no engine here runs, is the same in every wave.
    select
        waves.benchmark,
        waves.question_id,
        waves.gold_edition,
        waves.wave_id,
        golds.* exclude (benchmark, question_id, gold_edition, wave_id),
    from waves
    inner join golds
        on waves.benchmark = golds.benchmark
        and waves.question_id = golds.question_id
        and waves.gold_edition = golds.gold_edition
        and (golds.statement_id is null or waves.wave_id is not distinct from golds.wave_id)

),

gathered as (

    select
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.wave_id,
        count(golds.statement_id) as n_run_golds,
        bool_or(golds.outcome = 'answered') as is_any_answered,
        bool_and(golds.outcome = 'no_database') as is_database_lost,
        bool_or(golds.outcome = 'unsupported') as is_unsupported,
        bool_or(golds.outcome = 'not_run') as is_any_waiting,
        bool_or(drifts.gold_id is not null) as is_drifted,
        arg_min(golds.outcome, golds.gold_number) as first_outcome,
        arg_min(golds.error_class, golds.gold_number) as first_error_class,
        arg_min(golds.error_message, golds.gold_number) as first_error_message,
        max(golds.executed_at) as started_at,
    from golds_in_waves as golds
    left join drifts
        on golds.gold_id = drifts.gold_id
        and golds.wave_id = drifts.wave_id
    group by golds.benchmark, golds.question_id, golds.gold_edition, golds.wave_id

),

judged as (

    select
        waves.benchmark,
        waves.question_id,
        waves.gold_edition,
        waves.wave_id,
        gathered.started_at,
        coalesce(gathered.is_any_answered, false)
            and not coalesce(gathered.is_drifted, false)
            and not coalesce(gathered.is_unsupported, false) as is_scoreable,
        coalesce(gathered.is_drifted, false) as is_drifted,
        coalesce(gathered.is_database_lost, false) as is_database_lost,
        coalesce(gathered.is_unsupported, false) as is_unsupported,
        -- Golds that each ran in another wave wait for one in which all do.
        coalesce(gathered.is_any_waiting, false) or coalesce(gathered.n_run_golds, 0) < asked.n_run_golds
            as is_any_waiting,
        gathered.first_outcome,
        gathered.first_error_class,
        gathered.first_error_message,
    from waves
    inner join asked
        on waves.benchmark = asked.benchmark
        and waves.question_id = asked.question_id
        and waves.gold_edition = asked.gold_edition
    left join gathered
        on waves.benchmark = gathered.benchmark
        and waves.question_id = gathered.question_id
        and waves.gold_edition = gathered.gold_edition
        and waves.wave_id is not distinct from gathered.wave_id

)

select * from judged
