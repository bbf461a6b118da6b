with

landed as (

    select * from {{ source('landing', 'question_result_columns') }}

),

current_once as (

    select
        import_id,
        benchmark,
        question_id,
        column_position,
        column_name,
        value_type,
        n_decimals,
    from landed
    where {{ is_current_import() }}
    qualify row_number() over (partition by import_id, question_id, column_position order by landed_at desc) = 1

)

select * from current_once
