with

slices as (

    select * from {{ ref('question_slices') }}

),

by_database as (

    select
        benchmark,
        slice_by,
        slice,
        database_number,
        list(question_number order by question_number) as question_numbers,
    from slices
    group by benchmark, slice_by, slice, database_number

),

sizes as (

    select
        benchmark,
        count(*) as n_questions,
        count(distinct database_number) as n_databases,
    from slices
    where slice_by = 'all'
    group by benchmark

),

gathered as (

    select
        benchmark,
        slice_by,
        slice,
        list_sort(flatten(list(question_numbers))) as question_numbers,
        list(database_number order by database_number) as database_numbers,
        list(question_numbers order by database_number) as question_numbers_by_database,
    from by_database
    group by benchmark, slice_by, slice

)

select
    gathered.benchmark,
    gathered.slice_by,
    gathered.slice,
    gathered.question_numbers,
    gathered.database_numbers,
    list_transform(
        gathered.question_numbers_by_database,
        lambda numbers: list_transform(numbers, lambda number: list_position(gathered.question_numbers, number))
    ) as positions_by_database,
    md5(concat_ws(' ', gathered.benchmark, 'question', sizes.n_questions, gathered.question_numbers::varchar))
        as question_slice_id,
    md5(concat_ws(' ', gathered.benchmark, 'database', sizes.n_databases, gathered.database_numbers::varchar))
        as database_slice_id,
from gathered
inner join sizes on gathered.benchmark = sizes.benchmark
