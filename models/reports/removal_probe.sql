{% set least_clusters = 10 -%}
{% set keys = 'benchmark, model, solver_id, condition, naming, prediction_set, ranker, representation, budget, split, subset' -%}

with

predictions as (

    select * from {{ ref('removed_tables_named') }}

),

cell_sets as (

    select * from {{ ref('cell_sets') }}

),

splits as (

    select * from {{ ref('question_splits') }}

),

budgets as (

    select * from {{ ref('budgets') }}

),

placed as (

    select
        predictions.*,
        cell_sets.model,
        cell_sets.solver_id,
        cell_sets.ranker,
        cell_sets.representation,
        cell_sets.budget,
        cell_sets.condition,
        cell_sets.naming,
        cell_sets.is_repeat,
        unnest(['all', splits.split]) as split,
        list_filter(
            [
                'all',
                if(predictions.n_guessable > 0, 'guessable', 'not_guessable'),
                if(predictions.n_lexical_leaks > 0, 'leaking', 'not_leaking'),
                if(predictions.n_guessable = 0 and predictions.n_lexical_leaks = 0, 'neither', null),
            ],
            lambda subset: subset is not null
        ) as subsets,
    from predictions
    inner join cell_sets
        on predictions.prediction_set = cell_sets.prediction_set
        and predictions.benchmark = cell_sets.benchmark
    inner join splits
        on predictions.benchmark = splits.benchmark
        and predictions.question_id = splits.question_id

),

in_subsets as (

    select
        * exclude (subsets),
        unnest(subsets) as subset,
    from placed

),

pooled as (

    -- Each set, and the solver's cells together, one set for each: the paper's number is of those.
    select * from in_subsets

    union all

    select * replace (
        null::varchar as prediction_set,
        'all' as ranker,
        'all' as representation,
        'all' as budget
    )
    from in_subsets
    where not is_repeat

),

by_question as (

    select
        {{ keys }},
        db_id,
        question_id,
        count(*) as n_predictions,
        count(*) filter (where is_correct) as n_correct,
        count(*) filter (where is_correct and n_named > 0) as n_naming,
        count(*) filter (where is_correct and n_named = n_removed) as n_naming_every,
        count(*) filter (where is_correct and n_named > n_named_guessable) as n_naming_unguessable,
    from pooled
    group by {{ keys }}, db_id, question_id

),

by_database as (

    select
        {{ keys }},
        db_id,
        count(*) filter (where n_correct > 0) as n_questions,
        sum(n_predictions) as n_predictions,
        sum(n_correct) as n_correct,
        sum(n_naming) as n_naming,
        sum(n_naming_every) as n_naming_every,
        sum(n_naming_unguessable) as n_naming_unguessable,
        sum(n_naming * n_naming) as naming_squared,
        sum(n_naming * n_correct) as naming_by_correct,
        sum(n_correct * n_correct) as correct_squared,
    from by_question
    group by {{ keys }}, db_id

),

summed as (

    select
        {{ keys }},
        sum(n_questions)::bigint as n_questions,
        count(*) filter (where n_correct > 0) as n_clusters,
        sum(n_predictions)::bigint as n_predictions,
        sum(n_correct)::bigint as n_correct,
        sum(n_naming)::bigint as n_naming,
        sum(n_naming_every)::bigint as n_naming_every,
        sum(n_naming_unguessable)::bigint as n_naming_unguessable,
        sum(n_naming) / nullif(sum(n_correct), 0) as share_naming,
        sum(naming_squared) as naming_squared,
        sum(naming_by_correct) as naming_by_correct,
        sum(correct_squared) as correct_squared,
        sum(n_naming * n_naming) as naming_squared_clustered,
        sum(n_naming * n_correct) as naming_by_correct_clustered,
        sum(n_correct * n_correct) as correct_squared_clustered,
    from by_database
    group by {{ keys }}

),

measured as (

    -- Σ(naming − share · correct)², over questions and over databases.
    select
        *,
        naming_squared - 2 * share_naming * naming_by_correct + share_naming * share_naming * correct_squared as residuals,
        naming_squared_clustered - 2 * share_naming * naming_by_correct_clustered
        + share_naming * share_naming * correct_squared_clustered as residuals_clustered,
    from summed

),

probed as (

    select
        measured.benchmark,
        measured.model,
        measured.ranker,
        measured.representation,
        measured.budget,
        measured.condition,
        measured.naming,
        measured.split,
        measured.subset,
        round(measured.share_naming, 12) as share_naming,
        measured.n_naming,
        measured.n_correct,
        {{ wilson_bound('share_naming', 'nullif(n_correct, 0)', -1) }} as wilson_low,
        {{ wilson_bound('share_naming', 'nullif(n_correct, 0)', 1) }} as wilson_high,
        {{ ratio_bound('share_naming', 'residuals', 'n_correct', 'n_questions', -1) }} as ci_low,
        {{ ratio_bound('share_naming', 'residuals', 'n_correct', 'n_questions', 1) }} as ci_high,
        {% for bound, sign in [('low', -1), ('high', 1)] -%}
        case when n_clusters >= {{ least_clusters }} then
            {{ ratio_bound('share_naming', 'residuals_clustered', 'n_correct', 'n_clusters', sign) }}
        end as ci_{{ bound }}_clustered,
        {% endfor -%}
        measured.n_questions,
        measured.n_clusters,
        measured.n_clusters between 10 and 40 as is_few_clusters,
        case when measured.n_clusters < {{ least_clusters }} then 'fewer than 10 databases' end as clustering_reason,
        measured.n_naming_every,
        measured.n_naming_unguessable,
        measured.n_predictions,
        measured.solver_id,
        measured.prediction_set,
        budgets.budget_position,
    from measured
    left join budgets on measured.budget = budgets.budget

)

select * exclude (budget_position)
from probed
order by
    benchmark, model, solver_id, condition, naming, split, prediction_set is not null, ranker, representation,
    budget_position, prediction_set, subset
