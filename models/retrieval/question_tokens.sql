with

questions as (

    select * from {{ ref('questions') }}

),

tokens as (

    select distinct
        benchmark,
        db_id,
        question_id,
        unnest({{ question_words('question') }}) as token,
    from questions

)

select * from tokens
