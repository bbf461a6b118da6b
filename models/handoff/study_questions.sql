with

questions as (

    select * from {{ ref('questions') }}

),

splits as (

    select * from {{ ref('question_splits') }}

),

placed as (

    -- Placed among all that are held out, at hand or not, so that a place is the same on every machine.
    select
        splits.benchmark,
        splits.question_id,
        questions.question_position,
        questions.db_id,
        questions.has_database,
        splits.split,
        case when splits.split = 'held_out' then
            row_number() over (
                partition by splits.benchmark, splits.split
                order by md5(concat_ws(chr(31), 'sample', splits.benchmark, splits.question_id)), splits.question_id
            )
        end as sample_place,
    from splits
    inner join questions
        on splits.benchmark = questions.benchmark
        and splits.question_id = questions.question_id

)

select * exclude (has_database)
from placed
where has_database
order by benchmark, question_position, question_id
