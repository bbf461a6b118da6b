with

questions as (

    select * from {{ ref('questions') }}
    where has_database

),

splits as (

    select * from {{ ref('question_splits') }}

),

placed as (

    select
        splits.benchmark,
        splits.question_id,
        questions.question_position,
        questions.db_id,
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

select * from placed
order by benchmark, question_position, question_id
