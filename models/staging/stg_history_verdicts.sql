with

landed as (

    select * from {{ source('landing', 'history_verdicts') }}

),

newest as (

    select
        benchmark,
        prediction_set,
        question_id,
        sql,
        is_right,
        noted_at,
    from landed
    qualify row_number() over (
        partition by benchmark, prediction_set, question_id
        order by noted_at desc, landed_at desc
    ) = 1

)

select * from newest
