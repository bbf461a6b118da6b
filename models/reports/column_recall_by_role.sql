{#- A table: every packing is looked at, whoever is asked in it. -#}
{{ config(materialized='table') }}
{% set least_clusters = 10 -%}

with

gold_columns as (

    select * from {{ ref('gold_columns') }}
    where gold_edition = 'benchmark' and gold_number = 1

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

packings as (

    select * from {{ ref('packings') }}
    where not is_infeasible

),

splits as (

    select * from {{ ref('question_splits') }}

),

budgets as (

    select * from {{ ref('budgets') }}

),

roles as (

    select * from {{ ref('column_roles') }}

),

needed as (

    -- A column counts once in each of its roles, and once in all of them together.
    select
        gold_columns.benchmark,
        gold_columns.question_id,
        gold_columns.role,
        pool.table_number,
        count(distinct gold_columns.column_key) as n_columns,
    from (
        select * from gold_columns
        union all
        select * replace ('any' as role) from gold_columns
    ) as gold_columns
    inner join pool
        on gold_columns.benchmark = pool.benchmark
        and gold_columns.db_id = pool.db_id
        and gold_columns.table_key = pool.table_key
    group by gold_columns.benchmark, gold_columns.question_id, gold_columns.role, pool.table_number

),

wanted as (

    select
        benchmark,
        question_id,
        list(distinct table_number order by table_number) as table_numbers,
    from needed
    group by benchmark, question_id

),

shown as (

    select
        packings.benchmark,
        packings.ranker,
        packings.representation,
        packings.budget,
        packings.condition,
        packings.question_id,
        list_filter(
            wanted.table_numbers, lambda table_number: list_contains(packings.table_numbers, table_number)
        ) as table_numbers,
    from packings
    inner join wanted
        on packings.benchmark = wanted.benchmark
        and packings.question_id = wanted.question_id

),

counted as (

    -- A packed table shows all its columns. Most contexts of a question show the same of its tables.
    select
        shown.benchmark,
        shown.question_id,
        shown.table_numbers,
        needed.role,
        sum(needed.n_columns) as n_columns,
        coalesce(
            sum(needed.n_columns) filter (where list_contains(shown.table_numbers, needed.table_number)), 0
        ) as n_shown,
    from (select distinct benchmark, question_id, table_numbers from shown) as shown
    inner join needed
        on shown.benchmark = needed.benchmark
        and shown.question_id = needed.question_id
    group by shown.benchmark, shown.question_id, shown.table_numbers, needed.role

),

placed as (

    select
        shown.ranker,
        shown.representation,
        shown.budget,
        shown.condition,
        counted.*,
        splits.db_id,
        splits.split,
    from shown
    inner join counted
        on shown.benchmark = counted.benchmark
        and shown.question_id = counted.question_id
        and shown.table_numbers = counted.table_numbers
    inner join splits
        on shown.benchmark = splits.benchmark
        and shown.question_id = splits.question_id

),

by_database as (

    select
        benchmark,
        ranker,
        representation,
        budget,
        condition,
        split,
        role,
        db_id,
        count(*) as n_questions,
        sum(n_shown) as n_shown,
        sum(n_columns) as n_columns,
        sum(n_shown * n_shown) as shown_squared,
        sum(n_shown * n_columns) as shown_by_columns,
        sum(n_columns * n_columns) as columns_squared,
    from placed
    group by benchmark, ranker, representation, budget, condition, split, role, db_id

),

both_splits as (

    select * from by_database

    union all

    select
        benchmark,
        ranker,
        representation,
        budget,
        condition,
        'all' as split,
        role,
        db_id,
        sum(n_questions) as n_questions,
        sum(n_shown) as n_shown,
        sum(n_columns) as n_columns,
        sum(shown_squared) as shown_squared,
        sum(shown_by_columns) as shown_by_columns,
        sum(columns_squared) as columns_squared,
    from by_database
    group by benchmark, ranker, representation, budget, condition, role, db_id

),

summed as (

    select
        benchmark,
        ranker,
        representation,
        budget,
        condition,
        split,
        role,
        sum(n_questions)::bigint as n_questions,
        count(*) as n_clusters,
        sum(n_shown)::bigint as n_columns_shown,
        sum(n_columns)::bigint as n_columns,
        sum(n_shown) / sum(n_columns) as recall,
        sum(shown_squared) as shown_squared,
        sum(shown_by_columns) as shown_by_columns,
        sum(columns_squared) as columns_squared,
        sum(n_shown * n_shown) as shown_squared_clustered,
        sum(n_shown * n_columns) as shown_by_columns_clustered,
        sum(n_columns * n_columns) as columns_squared_clustered,
    from both_splits
    group by benchmark, ranker, representation, budget, condition, split, role

),

measured as (

    -- Σ(shown − recall · columns)², over questions and over databases.
    select
        *,
        shown_squared - 2 * recall * shown_by_columns + recall * recall * columns_squared as residuals,
        shown_squared_clustered - 2 * recall * shown_by_columns_clustered
        + recall * recall * columns_squared_clustered as residuals_clustered,
    from summed

),

recalled as (

    select
        measured.benchmark,
        measured.ranker,
        measured.representation,
        measured.budget,
        budgets.share,
        measured.condition,
        measured.split,
        measured.role,
        round(measured.recall, 12) as recall,
        measured.n_columns_shown,
        measured.n_columns,
        measured.n_questions,
        {{ ratio_bound('recall', 'residuals', 'n_columns', 'n_questions', -1) }} as ci_low,
        {{ ratio_bound('recall', 'residuals', 'n_columns', 'n_questions', 1) }} as ci_high,
        {% for bound, sign in [('low', -1), ('high', 1)] -%}
        case when n_clusters >= {{ least_clusters }} then
            {{ ratio_bound('recall', 'residuals_clustered', 'n_columns', 'n_clusters', sign) }}
        end as ci_{{ bound }}_clustered,
        {% endfor -%}
        measured.n_clusters,
        measured.n_clusters between 10 and 40 as is_few_clusters,
        case when measured.n_clusters < {{ least_clusters }} then 'fewer than 10 databases' end as clustering_reason,
        coalesce(roles.role_position, 0) as role_position,
    from measured
    inner join budgets on measured.budget = budgets.budget
    left join roles on measured.role = roles.role

)

select * exclude (role_position)
from recalled
order by benchmark, condition, split, ranker, representation, share, role_position
