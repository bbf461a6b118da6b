with

landed as (

    select * from {{ source('landing', 'history_queries') }}

),

current_once as (

    select
        import_id,
        history,
        benchmark,
        history_query_id,
        query_position,
        db_id,
        sql,
        dialect,
        question,
        executed_at,
        outcome,
        error,
        n_result_rows,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, history_query_id order by landed_at desc) = 1

)

select * from current_once
