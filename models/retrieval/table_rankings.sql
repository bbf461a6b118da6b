with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

rankers as (

    select * from {{ ref('rankers') }}
    where kind = 'lexical'

),

questions as (

    select
        questions.benchmark,
        questions.question_id,
    from {{ ref('questions') }} as questions
    semi join studied on questions.benchmark = studied.benchmark

),

tables as (

    select * from {{ ref('pooled_tables') }}

),

lexical_scores as (

    select * from {{ ref('lexical_scores') }}

),

dense_scores as (

    select * from {{ ref('dense_scores') }}

),

scored as (

    -- A lexical ranker knows every question and every table: what shares no term scores 0.
    select
        rankers.ranker,
        questions.benchmark,
        questions.question_id,
        tables.db_id,
        tables.table_key,
        coalesce(lexical_scores.score, 0) as score,
    from questions
    cross join rankers
    inner join tables on questions.benchmark = tables.benchmark
    left join lexical_scores
        on rankers.ranker = lexical_scores.ranker
        and questions.benchmark = lexical_scores.benchmark
        and questions.question_id = lexical_scores.question_id
        and tables.db_id = lexical_scores.db_id
        and tables.table_key = lexical_scores.table_key

    union all

    select
        ranker,
        benchmark,
        question_id,
        db_id,
        table_key,
        score,
    from dense_scores

),

ranked as (

    select
        scored.benchmark,
        scored.question_id,
        scored.ranker,
        row_number() over (
            partition by scored.benchmark, scored.ranker, scored.question_id
            order by scored.score desc, tables.prefixed_name asc
        ) as table_rank,
        scored.db_id,
        scored.table_key,
        scored.score,
    from scored
    inner join tables
        on scored.benchmark = tables.benchmark
        and scored.db_id = tables.db_id
        and scored.table_key = tables.table_key

)

select * from ranked
