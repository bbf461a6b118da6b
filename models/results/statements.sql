with

uses as (

    select * from {{ ref('statement_uses') }}

),

statements as (

    select
        statement_id,
        min(engine) as engine,
        min(snapshot_id) as snapshot_id,
        min(database_path) as database_path,
        min(connection) as connection,
        min(search_path) as search_path,
        min(sql) as sql,
        min(sql_id) as sql_id,
        bool_or(role in ('gold', 'gold_order_probe', 'union_gold')) as is_gold,
        bool_or(role = 'prediction') as is_prediction,
        bool_or(role = 'draft') as is_draft,
        list_sort(list(distinct benchmark)) as benchmarks,
    from uses
    group by statement_id

)

select * from statements
