with

read_golds as (

    select * from {{ ref('read_golds') }}

),

judged as (

    select
        gold_id,
        benchmark,
        question_id,
        db_id,
        is_covered,
        reason,
        detail,
    from read_golds

)

select * from judged
