with

statements as (

    select * from {{ ref('statements') }}

),

probes as (

    select * from {{ ref('order_luck_probes') }}

),

executions as (

    select * from {{ ref('executions') }}

),

hinges as (

    select * from {{ ref('plan_hinges') }}

),

sensitivity as (

    select * from {{ ref('statement_sensitivity') }}

),

engines as (

    select * from {{ ref('engines') }}

),

live_due as (

    select * from {{ ref('live_statements_due') }}

),

runnable as (

    select
        statement_id,
        engine,
        snapshot_id,
        database_path,
        connection,
        search_path,
        sql,
        is_gold,
        coalesce(is_draft, false) as is_draft,
        benchmarks,
    from statements

    union all

    select
        statement_id,
        engine,
        snapshot_id,
        database_path,
        null as connection,
        null as search_path,
        sql,
        false as is_gold,
        false as is_draft,
        benchmarks,
    from probes
    where statement_id not in (select statements.statement_id from statements)

),

sized as (

    select
        *,
        percent_rank() over (order by len(sql)) > 0.95 as is_long_text,
    from runnable

),

wanted as (

    -- First everything runs on the fast copy, where the engine has one.
    select
        runnable.statement_id,
        {% if var('prepared') == 'none' %}
        'untouched' as variant,
        {% else %}
        if(engines.has_prepared_copies, 'prepared', 'untouched') as variant,
        {% endif %}
    from runnable
    inner join engines on runnable.engine = engines.engine
    {% if var('prepared') == 'auto' %}

    union

    -- Then the untouched file is asked where a verdict hinges on what the plan could change.
    select
        hinges.statement_id,
        'untouched' as variant,
    from hinges

    union

    -- What it was asked and did not come to the end of, it is asked again where there is more time.
    select
        executions.statement_id,
        'untouched' as variant,
    from executions
    where executions.variant = 'untouched'

    union

    -- What may take long is asked of both at once when other rows may come of it: three in four of those would
    -- be asked later, and a second wave would wait for each of them.
    select
        sized.statement_id,
        'untouched' as variant,
    from sized
    inner join sensitivity on sized.statement_id = sensitivity.statement_id
    where
        sized.is_long_text
        and sensitivity.is_row_sensitive
        and not exists (
            select 1 from executions as run_before
            where run_before.statement_id = sized.statement_id
        )
    {% endif %}
    {% if var('check_stability') %}

    union

    select
        sensitivity.statement_id,
        'untouched' as variant,
    from sensitivity
    where sensitivity.is_plan_sensitive
    {% endif %}

),

undone as (

    select
        wanted.statement_id,
        sized.engine,
        sized.snapshot_id,
        sized.database_path,
        sized.connection,
        sized.search_path,
        wanted.variant,
        sized.sql,
        sized.is_gold,
        sized.is_draft,
        sized.benchmarks,
        null::varchar[] as due_because,
        null::varchar[] as needed_by,
        executions.timed_out_at_ms,
        coalesce(executions.n_attempts, 0) as n_attempts,
        -- What may take long is begun first, so that no worker is left alone with it at the end: what took
        -- long on the copy and, before anything has run, the longest texts.
        case
            when wanted.variant = 'untouched' and prepared.statement_id is not null
                then coalesce(prepared.elapsed_ms >= 500 or prepared.outcome = 'timed_out', false)
            else sized.is_long_text
        end as is_likely_slow,
    from wanted
    inner join sized on wanted.statement_id = sized.statement_id
    left join executions
        on wanted.statement_id = executions.statement_id
        and wanted.variant = executions.variant
    left join executions as prepared
        on wanted.statement_id = prepared.statement_id
        and prepared.variant = 'prepared'
    -- What the untouched file has answered needs no copy.
    left join executions as untouched
        on wanted.statement_id = untouched.statement_id
        and untouched.variant = 'untouched'
    where
        sized.connection is null
        and (
            executions.statement_id is null
            -- Whoever gives more time than it had gets another try, and whoever asks again for what a local engine
            -- had no answer to: glue drops the others.
            or executions.outcome in ('timed_out', 'unsupported')
            or (executions.outcome in ('crashed', 'no_database') and executions.n_attempts < 2)
        )
        and not (wanted.variant = 'prepared' and untouched.statement_id is not null)

),

live as (

    select
        live_due.statement_id,
        sized.engine,
        sized.snapshot_id,
        sized.database_path,
        sized.connection,
        sized.search_path,
        'untouched' as variant,
        sized.sql,
        sized.is_gold,
        sized.is_draft,
        sized.benchmarks,
        live_due.due_because,
        live_due.needed_by,
        executions.timed_out_at_ms,
        coalesce(executions.n_attempts, 0) as n_attempts,
        sized.is_long_text as is_likely_slow,
    from live_due
    inner join sized on live_due.statement_id = sized.statement_id
    left join executions on live_due.statement_id = executions.statement_id

),

pending as (

    select * from undone
    union all by name
    select * from live

)

select * from pending
order by database_path, snapshot_id, variant, is_likely_slow desc, is_gold desc, statement_id
