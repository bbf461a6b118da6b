with

questions as (

    select * from {{ ref('questions') }}

),

golds as (

    select * from {{ ref('golds') }}
    where gold_edition = 'benchmark' and gold_number = 1

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

complexity as (

    select * from {{ ref('schema_complexity') }}

),

required as (

    select
        benchmark,
        question_id,
        construct,
    from {{ ref('stg_question_constructs') }}

),

construct_counts as (

    select
        benchmark,
        question_id,
        count(*) as n_constructs,
    from required
    group by benchmark, question_id

),

densities as (

    -- OCD: different constructs that the questions of a schema call for, over its questions.
    select
        questions.benchmark,
        questions.db_id,
        count(distinct required.construct) / count(distinct questions.question_id) as construct_density,
    from questions
    left join required
        on questions.benchmark = required.benchmark
        and questions.question_id = required.question_id
    group by questions.benchmark, questions.db_id

),

joined as (

    select
        questions.benchmark,
        questions.question_id,
        questions.db_id,
        syntax.n_joins,
        avg(syntax.n_joins) over (partition by questions.benchmark, questions.db_id) as mean_joins,
        coalesce(construct_counts.n_constructs, 0) as n_constructs,
        densities.construct_density,
        complexity.n_tables,
        complexity.ambiguity_index,
        complexity.foreign_key_coverage,
        complexity.legacy_naming_ratio,
        complexity.documentation_density,
        complexity.nullable_share,
    from questions
    inner join golds
        on questions.benchmark = golds.benchmark
        and questions.question_id = golds.question_id
    inner join syntax on golds.sql_id = syntax.sql_id
    inner join complexity
        on questions.benchmark = complexity.benchmark
        and questions.db_id = complexity.db_id
    inner join densities
        on questions.benchmark = densities.benchmark
        and questions.db_id = densities.db_id
    left join construct_counts
        on questions.benchmark = construct_counts.benchmark
        and questions.question_id = construct_counts.question_id

)

select * from joined
