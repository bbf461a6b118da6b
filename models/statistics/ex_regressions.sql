{% set features = [
    ('MJD', 'n_joins'),
    ('TC', 'n_tables'),
    ('AJD', 'mean_joins'),
    ('LNR', 'legacy_naming_ratio'),
    ('OCD', 'construct_density'),
    ('AI', 'ambiguity_index'),
    ('FCR', 'foreign_key_coverage'),
    ('DD', 'documentation_density'),
    ('NP', 'nullable_share'),
] -%}

with

features as (

    select * from {{ ref('question_features') }}

),

predictions as (

    -- A study has hundreds of sets.
    select scored.*
    from {{ ref('execution_match') }} as scored
    anti join {{ ref('cell_sets') }} as cell_sets
        on scored.prediction_set = cell_sets.prediction_set
        and scored.benchmark = cell_sets.benchmark
    where scored.is_judged and scored.sample = 1

),

schemas as (

    select
        benchmark,
        list_sort(list(distinct db_id)) as db_ids,
    from features
    group by benchmark

),

answered as (

    -- What was not executed counts as wrong. A share that is not known is taken for that of a schema without.
    select
        predictions.benchmark,
        predictions.prediction_set,
        features.question_id,
        features.db_id,
        coalesce(predictions.ex, false) as is_right,
        [
            {% for _, column in features -%}
            coalesce(features.{{ column }}, 0)::double,
            {% endfor -%}
        ] as nine,
        -- The first schema is the one that the others are compared with.
        [features.n_joins::double, features.n_constructs::double]
        || list_transform(schemas.db_ids[2:], lambda db_id: (db_id = features.db_id)::double) as own_and_schemas,
        ['MJD', 'constructs'] || list_transform(schemas.db_ids[2:], lambda db_id: 'schema ' || db_id) as own_names,
    from predictions
    inner join features
        on predictions.benchmark = features.benchmark
        and predictions.question_id = features.question_id
    inner join schemas on features.benchmark = schemas.benchmark
    where features.n_joins is not null

),

gathered as (

    select
        benchmark,
        prediction_set,
        list(nine order by question_id) as nine,
        list(own_and_schemas order by question_id) as own_and_schemas,
        any_value(own_names) as own_names,
        list(is_right order by question_id) as outcomes,
        list(db_id order by question_id) as db_ids,
    from answered
    group by benchmark, prediction_set
    having count(distinct db_id) > 1 and count(*) >= 30

),

fitted as (

    select
        benchmark,
        prediction_set,
        'paper' as fit,
        [
            {% for label, _ in features -%}
            '{{ label }}',
            {% endfor -%}
        ] as names,
        logistic_fit(nine, outcomes, db_ids, true) as found,
    from gathered

    union all

    select
        benchmark,
        prediction_set,
        'identified' as fit,
        [
            {% for label, _ in features -%}
            '{{ label }}',
            {% endfor -%}
        ] as names,
        logistic_fit(nine, outcomes, db_ids, false) as found,
    from gathered

    union all

    select
        benchmark,
        prediction_set,
        'schema_effects' as fit,
        own_names as names,
        logistic_fit(own_and_schemas, outcomes, db_ids, false) as found,
    from gathered

),

unnested as (

    select
        benchmark,
        prediction_set,
        fit,
        unnest(names) as feature,
        generate_subscripts(names, 1) as feature_number,
        found,
    from fitted
    where found.outcome = 'fitted'

)

select
    benchmark,
    prediction_set,
    fit,
    feature_number,
    feature,
    found.coefficients[feature_number] as coefficient,
    -- Within a schema the scores of its own effect sum to zero: clustering by schema says nothing of it.
    case when not starts_with(feature, 'schema ') then found.standard_errors[feature_number] end as standard_error,
    coefficient - found.t_quantile * standard_error as ci_low,
    coefficient + found.t_quantile * standard_error as ci_high,
    found.problems[feature_number] as problem,
    found.is_separated,
    found.accuracy,
    found.cv_accuracy,
    found.group_cv_accuracy,
    found.n_positive / found.n_rows as positive_rate,
    found.n_rows as n_questions,
    found.n_groups as n_schemas,
    found.n_groups < 30 as is_few_clusters,
from unnested
