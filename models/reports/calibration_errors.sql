with

predictions as (

    select * from {{ ref('execution_match') }}
    where is_judged

),

splits as (

    select * from {{ ref('question_splits') }}
    where split = 'calibration'

),

error_kinds as (

    select * from {{ ref('error_kinds') }}

),

mistakes as (

    select * from {{ ref('calibration_error_kinds') }}

),

studied_sets as (

    select
        predictions.benchmark,
        predictions.prediction_set,
        count(*) as n_predictions,
        count(mistakes.prediction_id) as n_wrong,
    from predictions
    inner join splits
        on predictions.benchmark = splits.benchmark
        and predictions.question_id = splits.question_id
    left join mistakes on predictions.prediction_id = mistakes.prediction_id
    group by predictions.benchmark, predictions.prediction_set

),

counted as (

    select
        benchmark,
        prediction_set,
        error_kind,
        count(*) as n_errors,
    from mistakes
    group by benchmark, prediction_set, error_kind

),

every_kind as (

    -- A kind that a set has no error of is 0, not absent.
    select
        studied_sets.benchmark,
        studied_sets.prediction_set,
        error_kinds.error_kind,
        error_kinds.precedence,
        error_kinds.error_group,
        error_kinds.is_outside_schema,
        coalesce(counted.n_errors, 0) as n_errors,
        nullif(studied_sets.n_wrong, 0) as n_wrong,
        studied_sets.n_predictions,
    from studied_sets
    cross join error_kinds
    left join counted
        on studied_sets.benchmark = counted.benchmark
        and studied_sets.prediction_set = counted.prediction_set
        and error_kinds.error_kind = counted.error_kind

),

shares as (

    select
        *,
        n_errors / n_wrong as share,
        sum(n_errors) filter (where is_outside_schema) over (partition by benchmark, prediction_set) / n_wrong
            as share_outside_schema,
    from every_kind

)

select
    benchmark,
    prediction_set,
    error_kind,
    error_group,
    is_outside_schema,
    n_errors,
    coalesce(n_wrong, 0) as n_wrong,
    n_predictions,
    share,
    {{ wilson_bound('share', 'n_wrong', -1) }} as wilson_low,
    {{ wilson_bound('share', 'n_wrong', 1) }} as wilson_high,
    share_outside_schema,
from shares
order by benchmark, prediction_set, precedence
