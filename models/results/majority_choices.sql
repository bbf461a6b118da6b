with

predictions as (

    select * from {{ ref('predictions') }}

),

waves as (

    select * from {{ ref('prediction_waves') }}
    where is_chosen

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}

),

results as (

    select * from {{ ref('results') }}

),

sampled_sets as (

    -- Sets that asked some question more than once. Where a set of the derived name exists, it keeps its name.
    select
        sampled.prediction_set,
        sampled.benchmark,
    from predictions as sampled
    anti join predictions as named_alike
        on sampled.prediction_set || '/majority' = named_alike.prediction_set
        and sampled.benchmark = named_alike.benchmark
    group by sampled.prediction_set, sampled.benchmark
    having max(sampled.sample) > min(sampled.sample)

),

samples as (

    select
        predictions.prediction_id,
        predictions.prediction_set,
        predictions.benchmark,
        predictions.question_id,
        predictions.sample,
        predictions.is_waiting
            or (predictions.statement_id is not null and coalesce(outcomes.outcome, 'not_run') = 'not_run')
            as is_unfinished,
        -- Equal multisets of rows are one answer, in whatever order they stand; of what was too much to sign, equal
        -- rows in one order are.
        case when outcomes.outcome = 'answered' then coalesce(results.multiset_signature, outcomes.result_id) end
            as signature,
    from predictions
    semi join sampled_sets
        on predictions.prediction_set = sampled_sets.prediction_set
        and predictions.benchmark = sampled_sets.benchmark
    left join waves on predictions.prediction_id = waves.prediction_id
    left join outcomes
        on predictions.statement_id = outcomes.statement_id
        and waves.wave_id is not distinct from outcomes.wave_id
    left join results on outcomes.result_id = results.result_id

),

counted as (

    select
        *,
        case
            when signature is null then 0
            else count(*) over (partition by prediction_set, benchmark, question_id, signature)
        end as n_votes,
    from samples

),

choices as (

    select
        prediction_set as from_prediction_set,
        benchmark,
        question_id,
        count(*) as n_samples,
        count(signature) as n_executed,
        max(n_votes) as n_votes,
        arg_min(prediction_id, sample) as first_prediction_id,
        -- The most votes, the smallest sample of equals; without any result every sample has none, and it is the first.
        case
            when not bool_or(is_unfinished) then arg_min(prediction_id, (-n_votes, sample))
        end as derived_from_prediction_id,
    from counted
    group by prediction_set, benchmark, question_id

),

named as (

    select
        md5(concat_ws(chr(31), from_prediction_set || '/majority', benchmark, question_id, 1)) as prediction_id,
        from_prediction_set || '/majority' as prediction_set,
        *,
    from choices

)

select * from named
