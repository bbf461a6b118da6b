with

verdicts as (

    select * from {{ ref('prediction_verdicts') }}

),

predictions as (

    select * from {{ ref('predictions') }}
    where namespace is not null

),

answers as (

    select * from {{ ref('translated_answers') }}

),

tables_read as (

    select * from {{ ref('tables_read') }}

),

tableless_golds as (

    -- A gold that reads no table asks for none: a constant answers it in its own way.
    select coverage.gold_id
    from {{ ref('label_coverage') }} as coverage
    anti join {{ ref('gold_tables') }} as gold_tables on coverage.gold_id = gold_tables.gold_id
    where coverage.is_covered

),

lineage as (

    select
        answers.prediction_set,
        answers.benchmark,
        answers.question_id,
        answers.sample,
        count(tables_read.text_id) as n_tables_read,
        -- A name that the pool does not have lies in no database.
        count(*) filter (
            where tables_read.text_id is not null and tables_read.db_id is distinct from answers.db_id
        ) as n_tables_outside,
    from answers
    left join tables_read on answers.text_id = tables_read.text_id
    group by answers.prediction_set, answers.benchmark, answers.question_id, answers.sample

),

held as (

    select
        predictions.prediction_id,
        verdicts.is_judged,
        coalesce(verdicts.ex_set, false) as is_right_ex_set,
        coalesce(verdicts.ex, false) as is_right_ex,
        lineage.n_tables_read,
        lineage.n_tables_outside,
        coalesce(
            lineage.n_tables_outside = 0 and (lineage.n_tables_read > 0 or tableless_golds.gold_id is not null), false
        ) as is_within,
    from predictions
    inner join verdicts on predictions.prediction_id = verdicts.prediction_id
    left join tableless_golds on verdicts.matched_gold_id = tableless_golds.gold_id
    left join lineage
        on predictions.prediction_set = lineage.prediction_set
        and predictions.benchmark = lineage.benchmark
        and predictions.question_id = lineage.question_id
        and predictions.sample = lineage.sample

)

select
    prediction_id,
    case when is_judged then is_right_ex_set and is_within end as ex_set_namespace,
    case when is_judged then is_right_ex and is_within end as ex_namespace,
    n_tables_read,
    n_tables_outside,
from held
