with

checks as (

    select * from {{ ref('stg_divergence_checks') }}
    where checker_version = '{{ var("divergence_checker_version") }}'

),

ranked as (

    -- What was decided counts before what failed, the newest before older ones.
    select
        *,
        count(*) filter (where outcome = 'failed') over (partition by divergence_id) as n_failures,
        row_number() over (
            partition by divergence_id
            order by outcome = 'failed', checked_at desc, check_id
        ) as preference,
    from checks

)

select
    divergence_id,
    outcome,
    reason,
    kind,
    assumption_classes,
    assumptions,
    n_instances,
    n_failures,
    gold_columns,
    predicted_columns,
    gold_rows,
    predicted_rows,
    predicted_error,
    witness,
    elapsed_ms,
    checked_at,
from ranked
where preference = 1
