with

tokens as (

    select * from {{ ref('question_tokens') }}

),

questions as (

    select * from {{ ref('questions') }}

),

golds as (

    select * from {{ ref('golds') }}
    where gold_edition = 'benchmark' and gold_number = 1 and gold_sql is not null

),

database_sizes as (

    select
        benchmark,
        db_id,
        count(distinct question_id) as n_questions,
    from tokens
    group by benchmark, db_id

),

weights as (

    -- How telling a word is among one database's questions (inverse document frequency).
    select
        tokens.benchmark,
        tokens.db_id,
        tokens.token,
        ln(1 + any_value(database_sizes.n_questions)::double / count(*)) as weight,
    from tokens
    inner join database_sizes
        on tokens.benchmark = database_sizes.benchmark
        and tokens.db_id = database_sizes.db_id
    group by tokens.benchmark, tokens.db_id, tokens.token

),

weighted as (

    select
        tokens.*,
        weights.weight,
    from tokens
    inner join weights
        on tokens.benchmark = weights.benchmark
        and tokens.db_id = weights.db_id
        and tokens.token = weights.token

),

norms as (

    select
        benchmark,
        db_id,
        question_id,
        sqrt(sum(weight * weight order by token)) as norm,
    from weighted
    group by benchmark, db_id, question_id

),

shared as (

    select
        a.benchmark,
        a.db_id,
        a.question_id,
        b.question_id as other_question_id,
        sum(a.weight * b.weight order by a.token) as shared_weight,
    from weighted as a
    inner join weighted as b
        on a.benchmark = b.benchmark
        and a.db_id = b.db_id
        and a.token = b.token
        and a.question_id <> b.question_id
    group by a.benchmark, a.db_id, a.question_id, b.question_id

),

similar_questions as (

    select
        shared.*,
        round(shared.shared_weight / (own.norm * other.norm), 9) as cosine,
        other_questions.question_position as other_position,
    from shared
    inner join norms as own
        on shared.benchmark = own.benchmark
        and shared.question_id = own.question_id
    inner join norms as other
        on shared.benchmark = other.benchmark
        and shared.other_question_id = other.question_id
    inner join questions as other_questions
        on shared.benchmark = other_questions.benchmark
        and shared.other_question_id = other_questions.question_id

),

nearest as (

    select
        similar_questions.benchmark,
        similar_questions.db_id,
        similar_questions.question_id,
        similar_questions.other_question_id as nearest_question_id,
        similar_questions.cosine,
        golds.gold_sql as nearest_gold_sql,
    from similar_questions
    inner join golds
        on similar_questions.benchmark = golds.benchmark
        and similar_questions.other_question_id = golds.question_id
    qualify row_number() over (
        partition by similar_questions.benchmark, similar_questions.question_id
        order by similar_questions.cosine desc, similar_questions.other_position asc
    ) = 1

)

select * from nearest
