with

verdicts as (

    select * from {{ ref('prediction_verdicts') }}
    where is_judged

),

predictions as (

    select * from {{ ref('predictions') }}

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}

),

validity as (

    select * from {{ ref('statement_validity') }}

),

required as (

    select * from {{ ref('stg_question_constructs') }}

),

constructs as (

    select * from {{ ref('constructs') }}

),

missing as (

    -- Of right answers: the constructs that the question calls for and the text does without.
    select
        verdicts.prediction_id,
        list_sort(list(required.construct)) as missing_constructs,
    from verdicts
    inner join predictions on verdicts.prediction_id = predictions.prediction_id
    inner join required
        on verdicts.benchmark = required.benchmark
        and verdicts.question_id = required.question_id
    inner join constructs
        on required.construct = constructs.construct
        and predictions.dialect = constructs.dialect
    where
        verdicts.ex
        and not {{ uses_construct('predictions.predicted_sql', 'constructs.pattern') }}
    group by verdicts.prediction_id

),

judged as (

    select
        verdicts.prediction_id,
        verdicts.prediction_set,
        verdicts.benchmark,
        verdicts.question_id,
        verdicts.sample,
        verdicts.outcome,
        verdicts.reason,
        outcomes.error_code,
        predictions.dialect,
        coalesce(verdicts.ex, false) as is_ex_passing,
        coalesce(
            not list_contains(validity.valid_in, predictions.dialect) and len(validity.valid_in) > 0,
            false
        ) as is_valid_elsewhere_alone,
        coalesce(
            predictions.dialect = 'oracle' and validity.oracle_versions = [21],
            false
        ) as is_newer_than_19,
        coalesce(missing.missing_constructs, []) as missing_constructs,
    from verdicts
    inner join predictions on verdicts.prediction_id = predictions.prediction_id
    left join outcomes
        on verdicts.statement_id = outcomes.statement_id
        and verdicts.wave_id is not distinct from outcomes.wave_id
    left join validity on predictions.sql_id = validity.sql_id
    left join missing on verdicts.prediction_id = missing.prediction_id

),

named as (

    select
        *,
        case
            when is_ex_passing then null
            when outcome in ('empty', 'truncated') then 'F0'
            when
                outcome in ('mismatch', 'cut', 'timed_out')
                or (outcome = 'prediction_failed' and reason in ('resource', 'connection', 'unsupported_value', 'crash', 'other'))
                or error_code in ('ORA-01722', 'ORA-01476', 'ORA-01830', 'ORA-01839', 'ORA-01843', 'ORA-01847', 'ORA-01861')
                then 'F3'
            when is_valid_elsewhere_alone or reason = 'other_dialect' then 'F2'
            else 'F1'
        end as failure_mode,
    from judged

)

select
    prediction_id,
    prediction_set,
    benchmark,
    question_id,
    sample,
    outcome,
    reason,
    error_code,
    is_ex_passing,
    failure_mode,
    case
        when dialect <> 'oracle' then null
        when is_newer_than_19 then 'F2'
        else failure_mode
    end as failure_mode_19,
    missing_constructs,
    len(missing_constructs) > 0 as is_non_idiomatic,
from named
