with

uses as (

    select * from {{ ref('statement_uses') }}

),

statements as (

    select
        statement_id,
        any_value(engine) as engine,
        any_value(snapshot_id) as snapshot_id,
        min(database_path) as database_path,
        any_value(sql) as sql,
        any_value(sql_id) as sql_id,
        bool_or(role in ('gold', 'gold_order_probe')) as is_gold,
        bool_or(role = 'prediction') as is_prediction,
        list_sort(list(distinct benchmark)) as benchmarks,
    from uses
    group by statement_id

)

select * from statements
