with

pending as (

    select distinct context_id
    from {{ ref('requests') }}
    where context_id is not null and request_id not in (
        select attempts.request_id from {{ ref('attempts') }} as attempts
        where attempts.predicted_sql is not null or attempts.outcome = 'truncated'
    )

),

contexts as (

    select
        context_id,
        any_value(piece_numbers) as piece_numbers,
    from {{ ref('cell_contexts') }}
    group by context_id

),

wanted as (

    select
        contexts.context_id,
        contexts.piece_numbers,
    from contexts
    semi join pending on contexts.context_id = pending.context_id

)

select * from wanted
order by context_id
