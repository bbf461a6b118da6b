with

complexity as (

    select * from {{ ref('schema_complexity') }}

),

features as (

    select
        benchmark,
        db_id,
        count(*) as n_questions,
        any_value(construct_density) as construct_density,
        any_value(mean_joins) as mean_joins,
        max(n_joins) as most_joins,
    from {{ ref('question_features') }}
    group by benchmark, db_id

)

select
    complexity.benchmark,
    complexity.db_id,
    complexity.schema_id,
    complexity.tier,
    complexity.n_tables,
    complexity.n_rows,
    complexity.n_columns,
    coalesce(features.n_questions, 0) as n_questions,
    complexity.ambiguity_index,
    complexity.n_ambiguous_names,
    complexity.foreign_key_coverage,
    features.construct_density,
    complexity.legacy_naming_ratio,
    features.mean_joins,
    features.most_joins,
    complexity.documentation_density,
    complexity.nullable_share,
from complexity
left join features
    on complexity.benchmark = features.benchmark
    and complexity.db_id = features.db_id
order by complexity.benchmark, complexity.tier nulls last, complexity.schema_id, complexity.db_id
