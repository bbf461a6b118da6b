with

tasks as (

    select * from {{ ref('constructed_tasks') }}

),

exported as (

    select
        question_id::bigint as question_id,
        benchmark,
        db_id,
        question,
        evidence,
        sql,
        history_knowledge,
        review_decision,
    from tasks

)

select * from exported
order by benchmark, question_id
