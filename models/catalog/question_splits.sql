with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

questions as (

    select * from {{ ref('questions') }}

),

shuffled as (

    select
        questions.benchmark,
        questions.question_id,
        questions.db_id,
        lower({{ one_line('questions.question') }}) as wording,
        count(*) over (partition by questions.benchmark) as n_questions,
        count(*) over (partition by questions.benchmark, questions.db_id) as n_of_database,
        row_number() over (
            partition by questions.benchmark, questions.db_id
            order by md5(concat_ws(chr(31), 'split', questions.benchmark, questions.question_id)), questions.question_id
        ) as place,
    from questions
    semi join studied on questions.benchmark = studied.benchmark

),

spread as (

    -- Each database's questions are spread evenly over one line, and the line is cut once.
    select
        *,
        row_number() over (
            partition by benchmark
            order by (2 * place - 1) / n_of_database, db_id, place
        ) as line_position,
    from shuffled

),

split as (

    -- The paper's shape: 255 of 1,534.
    select
        *,
        if(line_position <= round(n_questions * 255 / 1534), 'calibration', 'held_out') as split,
    from spread

),

audited as (

    select
        benchmark,
        question_id,
        db_id,
        split,
        count(distinct split) over (partition by benchmark, db_id, wording) > 1 as has_twin_in_other_split,
    from split

)

select * from audited
