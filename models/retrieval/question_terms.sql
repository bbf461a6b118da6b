with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

questions as (

    select * from {{ ref('questions') }}

),

terms as (

    select
        questions.benchmark,
        questions.question_id,
        unnest({{ name_terms('questions.question') }}) as term,
    from questions
    semi join studied on questions.benchmark = studied.benchmark

),

counted as (

    select
        benchmark,
        question_id,
        term,
        count(*) as n_occurrences,
    from terms
    group by benchmark, question_id, term

)

select * from counted
