with

coverage as (

    select * from {{ ref('label_coverage') }}
    where not is_covered

),

golds as (

    select * from {{ ref('golds') }}

),

questions as (

    select * from {{ ref('questions') }}

),

reasons as (

    select * from {{ ref('label_reasons') }}

),

listed as (

    select
        coverage.benchmark,
        coverage.question_id,
        golds.gold_edition,
        golds.gold_number,
        coverage.db_id,
        coverage.reason,
        coverage.detail,
        reasons.meaning,
        reasons.is_of_catalog,
        questions.question,
        golds.gold_sql,
    from coverage
    inner join golds on coverage.gold_id = golds.gold_id
    inner join questions
        on coverage.benchmark = questions.benchmark
        and coverage.question_id = questions.question_id
    left join reasons on coverage.reason = reasons.reason

)

select * from listed
