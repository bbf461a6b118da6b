with

tasks as (

    select * from {{ ref('history_tasks') }}

),

questions as (

    select * from {{ ref('history_questions') }}

),

items as (

    select * from {{ ref('history_task_items') }}

),

studied as (

    select * from {{ ref('history_benchmarks') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

readings as (

    select * from {{ ref('component_readings') }}

),

sizes as (

    select
        task_set,
        count(*) as n_tasks,
    from tasks
    group by task_set

),

texts as (

    select
        tasks.task_set,
        'tasks' as row_name,
        1 as row_position,
        readings.*,
    from tasks
    inner join questions
        on tasks.task_set = questions.task_set
        and tasks.question_id = questions.question_id
    left join readings
        on questions.sql_id = readings.sql_id
        and questions.outline_id = readings.outline_id

    union all

    select
        studied.task_set,
        'history' as row_name,
        2 as row_position,
        readings.*,
    from studied
    inner join scripts on studied.history = scripts.history
    left join readings on scripts.reading_id = readings.reading_id

),

described as (

    select
        task_set,
        row_name,
        row_position,
        unnest([
            { 'column_name': 'queries', 'column_position': 1, 'value': count(*)::double },
            { 'column_name': 'tokens per SQL', 'column_position': 2, 'value': avg(n_tokens) },
            { 'column_name': 'functions per SQL', 'column_position': 3, 'value': avg(n_functions) },
            { 'column_name': 'subqueries per SQL', 'column_position': 4, 'value': avg(n_subqueries) },
            { 'column_name': 'join length per SQL', 'column_position': 5, 'value': avg(join_length) },
            { 'column_name': 'nesting depth per SQL', 'column_position': 6, 'value': avg(nesting_depth) },
        ], recursive := true),
    from texts
    group by task_set, row_name, row_position

),

described_tasks as (

    select
        task_set,
        'tasks' as row_name,
        1 as row_position,
        unnest([
            { 'column_name': 'items per task', 'column_position': 7, 'value': avg(n_items) },
            { 'column_name': 'types per task', 'column_position': 8, 'value': avg(n_types) },
        ], recursive := true),
    from tasks
    group by task_set

),

counted as (

    select
        task_set,
        'Table 8' as paper_table,
        'tasks' as row_name,
        1 as row_position,
        n_items::varchar as column_name,
        n_items as column_position,
        count(*)::double as value,
    from tasks
    group by task_set, n_items

    union all

    select
        task_set,
        'Table 8' as paper_table,
        'tasks, frequent items left out' as row_name,
        2 as row_position,
        n_rare_items::varchar as column_name,
        n_rare_items as column_position,
        count(*)::double as value,
    from tasks
    group by task_set, n_rare_items

    union all

    select
        task_set,
        'Table 9' as paper_table,
        'tasks' as row_name,
        1 as row_position,
        n_types::varchar as column_name,
        n_types as column_position,
        count(*)::double as value,
    from tasks
    group by task_set, n_types

),

by_type as (

    select
        task_set,
        coalesce(knowledge_type, 'unread') as row_name,
        count(*) as n_items,
        sum(count(*)) over (partition by task_set) as n_items_of_all_types,
    from items
    group by task_set, knowledge_type

),

typed as (

    select
        by_type.task_set,
        'Table 10' as paper_table,
        by_type.row_name,
        list_position(
            ['relation', 'condition', 'dimension', 'calculation', 'output', 'full_sql', 'unread'], by_type.row_name
        ) as row_position,
        unnest([
            { 'column_name': 'items', 'column_position': 1, 'value': by_type.n_items::double },
            {
                'column_name': 'share of all items',
                'column_position': 2,
                'value': (by_type.n_items / by_type.n_items_of_all_types)::double
            },
            {
                'column_name': 'items per task',
                'column_position': 3,
                'value': (by_type.n_items / sizes.n_tasks)::double
            },
        ], recursive := true),
    from by_type
    inner join sizes on by_type.task_set = sizes.task_set

),

tables_of_paper as (

    select
        *,
        'Table 1' as paper_table,
    from described

    union all by name

    select
        *,
        'Table 1' as paper_table,
    from described_tasks

    union all by name

    select * from counted

    union all by name

    select * from typed

)

select
    task_set,
    paper_table,
    row_name,
    column_name,
    round(value, 12) as value,
from tables_of_paper
order by
    task_set,
    list_position(['Table 1', 'Table 8', 'Table 9', 'Table 10'], paper_table),
    row_position,
    column_position
