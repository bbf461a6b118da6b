{% set least_clusters = 10 -%}
{% set metrics = ['precision', 'recall', 'f1'] -%}

with

sums as (

    select * from {{ ref('history_sums') }}

),

intervals as (

    select * from {{ ref('history_intervals') }}

),

added as (

    select
        *,
        list_sum(required)::bigint as n_required,
        list_sum(retrieved)::bigint as n_retrieved,
        list_sum(covered)::bigint as n_covered,
        list_transform(covered, lambda number, i: number / nullif(retrieved[i], 0)) as precisions,
        list_transform(covered, lambda number, i: number / nullif(required[i], 0)) as recalls,
        list_transform(covered, lambda number, i: 2 * number / nullif(retrieved[i] + required[i], 0)) as f1s,
        len(list_filter(required_by_database, lambda number: number > 0)) as n_clusters,
    from sums

)

select
    added.task_set,
    added.prediction_set,
    added.knowledge_type,
    added.n_tasks,
    added.n_required,
    added.n_retrieved,
    added.n_covered,
    round(added.n_shots / nullif(added.n_tasks, 0), 12) as mean_shots,
    {{ item_rates('added') }},
    {% for metric in metrics -%}
    by_question.{{ metric }}_low,
    by_question.{{ metric }}_high,
    {% endfor %}
    {%- for metric in metrics -%}
    by_database.{{ metric }}_low as {{ metric }}_low_clustered,
    by_database.{{ metric }}_high as {{ metric }}_high_clustered,
    {% endfor %}
    added.n_clusters,
    added.n_clusters between {{ least_clusters }} and 40 as is_few_clusters,
    round(list_avg(added.precisions), 12) as macro_precision,
    round(list_avg(added.recalls), 12) as macro_recall,
    round(list_avg(added.f1s), 12) as macro_f1,
    list_count(added.precisions) as n_tasks_with_precision,
from added
left join intervals as by_question on added.question_sums_id = by_question.sums_id
left join intervals as by_database
    on added.database_sums_id = by_database.sums_id
    and added.n_clusters >= {{ least_clusters }}
