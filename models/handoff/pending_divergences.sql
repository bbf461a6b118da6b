with

pairs as (

    select * from {{ ref('divergence_pairs') }}
    where not is_same_statement

),

results as (

    select * from {{ ref('divergence_results') }}

),

grouped as (

    select
        divergence_id,
        any_value(engine) as engine,
        any_value(dialect) as dialect,
        any_value(snapshot_id) as snapshot_id,
        min(database_path) as database_path,
        any_value(gold_sql) as gold_sql,
        any_value(predicted_sql) as predicted_sql,
        any_value(is_ordered) as is_ordered,
        list_sort(list(distinct benchmark)) as benchmarks,
        list_sort(list(distinct prediction_set)) as prediction_sets,
        count(*) as n_predictions,
    from pairs
    group by divergence_id

),

pending as (

    -- What failed is tried once more.
    select
        grouped.*,
        coalesce(results.n_failures, 0) as n_failures,
    from grouped
    left join results on grouped.divergence_id = results.divergence_id
    where results.divergence_id is null or (results.outcome = 'failed' and results.n_failures < 2)

)

select * from pending
order by database_path, divergence_id
