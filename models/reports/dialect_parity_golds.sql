with

golds as (

    select * from {{ ref('bank_gold_results') }}

),

exceptions as (

    select distinct
        question_id,
        dialect,
        kind,
        reason,
    from {{ ref('stg_dialect_exceptions') }}

),

reference_golds as (

    -- Oracle's own answer, where it was asked.
    select * from golds
    where
        engine in ('oracle', 'oracle-local')
        and outcome = 'answered'
    qualify row_number() over (
        partition by question_id, is_supplementary
        order by (engine = 'oracle') desc
    ) = 1

)

select
    golds.engine,
    golds.dialect,
    golds.is_supplementary,
    golds.question_id,
    case
        when exceptions.kind = 'inexpressible' then 'inexpressible'
        when golds.gold_sql is null then 'no_gold'
        when golds.outcome <> 'answered' then golds.outcome
        when reference_golds.question_id is null then 'no_reference'
        when golds.typed_result_id is null or reference_golds.typed_result_id is null then 'rows_not_kept'
        when golds.typed_result_id = reference_golds.typed_result_id then 'equal'
        else 'different'
    end as status,
    exceptions.kind as exception_kind,
    exceptions.reason as exception_reason,
    golds.error_class,
    golds.error_message,
    golds.n_rows,
    reference_golds.n_rows as n_reference_rows,
    reference_golds.engine as reference_engine,
    golds.gold_sql,
    reference_golds.gold_sql as reference_sql,
from golds
left join reference_golds
    on golds.question_id = reference_golds.question_id
    and golds.is_supplementary = reference_golds.is_supplementary
left join exceptions
    on golds.question_id = exceptions.question_id
    and golds.dialect = exceptions.dialect
order by golds.engine, golds.is_supplementary, golds.question_id
