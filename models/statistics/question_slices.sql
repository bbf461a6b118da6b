with

questions as (

    select * from {{ ref('placed_questions') }}
    where has_database

),

hardness as (

    -- A slice holds the same questions for every prediction set, whatever edition of golds it is held against.
    select
        benchmark,
        question_id,
        arg_min(spider_hardness, (gold_edition <> 'benchmark', gold_edition)) as spider_hardness,
    from {{ ref('gold_hardness') }}
    where gold_number = 1
    group by benchmark, question_id

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

splits as (

    select * from {{ ref('question_splits') }}

),

strata as (

    select * from {{ ref('collision_strata') }}

),

numbered as (

    select
        questions.benchmark,
        questions.question_id,
        row_number() over (
            partition by questions.benchmark
            order by questions.question_position, questions.question_id
        ) as question_number,
        questions.db_id,
        dense_rank() over (partition by questions.benchmark order by questions.db_id) as database_number,
        coalesce(questions.difficulty, 'not stated') as difficulty,
        coalesce(hardness.spider_hardness, 'not graded') as spider_hardness,
        questions.tier::varchar as tier,
        questions.schema_id,
        questions.category_group,
        questions.category,
    from questions
    left join hardness
        on questions.benchmark = hardness.benchmark
        and questions.question_id = hardness.question_id

),

numbered_tasks as (

    -- Tasks that are answered with past queries need no database at hand: they are a benchmark of their own.
    select
        task_set as benchmark,
        question_id,
        row_number() over (
            partition by task_set
            order by question_position, question_id
        ) as question_number,
        db_id,
        dense_rank() over (partition by task_set order by db_id) as database_number,
    from tasks

),

sliced as (

    select
        *,
        'all' as slice_by,
        'all' as slice,
    from numbered

    union all

    select
        *,
        'database' as slice_by,
        db_id as slice,
    from numbered

    union all

    select
        *,
        'difficulty' as slice_by,
        difficulty as slice,
    from numbered

    union all

    select
        *,
        'spider_hardness' as slice_by,
        spider_hardness as slice,
    from numbered

    union all

    -- Those of benchmarks with tiers and a taxonomy alone (ESQ-Bench).
    {% for slice_by, column in [
        ('tier', 'tier'), ('schema', 'schema_id'), ('category_group', 'category_group'), ('category', 'category')
    ] -%}
    select
        *,
        '{{ slice_by }}' as slice_by,
        {{ column }} as slice,
    from numbered
    where {{ column }} is not null

    union all

    {% endfor -%}
    -- A group or category within a tier, as "2 hierarchical".
    {% for slice_by in ['category_group', 'category'] -%}
    select
        *,
        'tier_and_{{ slice_by }}' as slice_by,
        tier || ' ' || {{ slice_by }} as slice,
    from numbered
    where tier is not null and {{ slice_by }} is not null

    union all

    {% endfor -%}
    -- Those of benchmarks under study alone.
    select
        numbered.*,
        'split' as slice_by,
        splits.split as slice,
    from numbered
    inner join splits
        on numbered.benchmark = splits.benchmark
        and numbered.question_id = splits.question_id

    union all

    select
        numbered.*,
        'collision_stratum' as slice_by,
        strata.stratum as slice,
    from numbered
    inner join strata
        on numbered.benchmark = strata.benchmark
        and numbered.question_id = strata.question_id
    where strata.stratum is not null

    union all by name

    select
        *,
        'all' as slice_by,
        'all' as slice,
    from numbered_tasks

    union all by name

    select
        *,
        'database' as slice_by,
        db_id as slice,
    from numbered_tasks

)

select
    benchmark,
    slice_by,
    slice,
    question_id,
    question_number,
    db_id,
    database_number,
from sliced
