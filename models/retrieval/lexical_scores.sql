with

question_terms as (

    select * from {{ ref('question_terms') }}

),

impacts as (

    select * from {{ ref('term_impacts') }}

),

scores as (

    select
        impacts.ranker,
        question_terms.benchmark,
        question_terms.question_id,
        impacts.db_id,
        impacts.table_key,
        sum(question_terms.n_occurrences * impacts.impact)::double as score,
    from question_terms
    inner join impacts
        on question_terms.benchmark = impacts.benchmark
        and question_terms.term = impacts.term
    group by
        impacts.ranker,
        question_terms.benchmark,
        question_terms.question_id,
        impacts.db_id,
        impacts.table_key

)

select * from scores
