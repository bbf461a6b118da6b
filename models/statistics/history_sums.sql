with

scores as (

    select * from {{ ref('score_history_retrieval') }}
    where knowledge_type = 'all'

),

set_scores as (

    select * from {{ ref('history_set_scores') }}

),

questions as (

    select * from {{ ref('question_slices') }}
    where slice_by = 'all'

),

slices as (

    select * from {{ ref('slice_positions') }}
    where slice_by = 'all'

),

sets as (

    -- Every setting over all types; what was chosen by type too.
    select
        task_set,
        concat(history_setting, '@', encoder) as prediction_set,
        knowledge_type,
        question_id,
        n_required,
        n_retrieved,
        n_covered,
        n_shots,
    from scores

    union all

    select
        task_set,
        prediction_set,
        knowledge_type,
        question_id,
        n_required,
        n_retrieved,
        n_covered,
        n_shots,
    from set_scores
    where choice <> 'best' or knowledge_type <> 'all'

),

named as (

    select distinct
        task_set,
        prediction_set,
        knowledge_type,
    from sets

),

whole as (

    -- A place for every task, also where it has nothing of a type.
    select
        named.task_set,
        named.prediction_set,
        named.knowledge_type,
        {% for sum in ['required', 'retrieved', 'covered'] -%}
        list(coalesce(sets.n_{{ sum }}, 0)::double order by questions.question_number) as {{ sum }},
        {% endfor -%}
        count(sets.question_id) as n_tasks,
        coalesce(sum(sets.n_shots), 0)::bigint as n_shots,
    from named
    inner join questions on named.task_set = questions.benchmark
    left join sets
        on named.task_set = sets.task_set
        and named.prediction_set = sets.prediction_set
        and named.knowledge_type = sets.knowledge_type
        and questions.question_id = sets.question_id
    group by named.task_set, named.prediction_set, named.knowledge_type

),

clustered as (

    select
        whole.task_set,
        whole.prediction_set,
        whole.knowledge_type,
        slices.question_slice_id,
        slices.database_slice_id,
        len(slices.database_numbers) as n_databases,
        whole.n_tasks,
        whole.n_shots,
        {% for sum in ['required', 'retrieved', 'covered'] -%}
        whole.{{ sum }},
        list_transform(
            slices.positions_by_database,
            lambda positions: list_sum(list_select(whole.{{ sum }}, positions))
        ) as {{ sum }}_by_database,
        {% endfor %}
    from whole
    inner join slices on whole.task_set = slices.benchmark

),

keyed as (

    select
        *,
        md5(concat_ws(' ', question_slice_id, required::varchar, retrieved::varchar, covered::varchar))
            as question_sums_id,
        md5(concat_ws(
            ' ', database_slice_id, required_by_database::varchar, retrieved_by_database::varchar,
            covered_by_database::varchar
        )) as database_sums_id,
    from clustered

)

select * from keyed
