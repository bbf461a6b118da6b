with

questions as (

    select * from {{ ref('questions') }}

),

tokens as (

    select distinct
        benchmark,
        db_id,
        question_id,
        -- Words and numbers; every CJK character is a word of its own.
        unnest(regexp_extract_all(lower(question), '[a-z0-9]+|[\x{3400}-\x{9fff}]')) as token,
    from questions

)

select * from tokens
