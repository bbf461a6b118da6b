with

questions as (

    select * from {{ ref('question_splits') }}

),

golds as (

    select * from {{ ref('golds') }}
    where gold_edition = 'benchmark' and gold_number = 1

),

coverage as (

    select * from {{ ref('label_coverage') }}

),

required as (

    select
        benchmark,
        question_id,
        count(*) as n_required_tables,
        count(*) filter (where is_colliding) as n_colliding_tables,
    from {{ ref('required_tables') }}
    group by benchmark, question_id

),

counted as (

    select
        questions.benchmark,
        questions.question_id,
        questions.db_id,
        coalesce(coverage.is_covered, false) as is_labelled,
        if(coverage.is_covered, coalesce(required.n_required_tables, 0), null) as n_required_tables,
        if(coverage.is_covered, coalesce(required.n_colliding_tables, 0), null) as n_colliding_tables,
    from questions
    left join golds
        on questions.benchmark = golds.benchmark
        and questions.question_id = golds.question_id
    left join coverage on golds.gold_id = coverage.gold_id
    left join required
        on questions.benchmark = required.benchmark
        and questions.question_id = required.question_id

),

stratified as (

    select
        *,
        case
            when n_colliding_tables = 0 then 'none'
            when n_colliding_tables < n_required_tables then 'some'
            when n_colliding_tables = n_required_tables then 'all'
        end as stratum,
    from counted

)

select * from stratified
