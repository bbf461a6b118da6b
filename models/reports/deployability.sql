with

complexity as (

    select * from {{ ref('schema_complexity') }}

),

hard as (

    select list(construct) as constructs
    from {{ ref('constructs') }}
    where needs_validation

),

queries as (

    select
        benchmark,
        db_id,
        count(*) as n_queries,
        avg(n_joins) as mean_joins,
        count(*) filter (where n_joins > 5) as n_deep_queries,
        list_sort(list_distinct(flatten(list(constructs)))) as constructs,
    from {{ ref('business_queries') }}
    group by benchmark, db_id

),

checks as (

    select * from {{ ref('deployability_checks') }}

),

measured as (

    select
        complexity.benchmark,
        complexity.db_id,
        checks.check_name,
        checks.position,
        checks.label,
        checks.threshold,
        checks.advice,
        case checks.check_name
            when 'ambiguous_columns' then complexity.n_ambiguous_names
            when 'foreign_key_coverage' then complexity.foreign_key_coverage
            when 'dialect_constructs' then len(list_intersect(queries.constructs, hard.constructs))
            when 'undocumented_ambiguity' then complexity.n_undocumented_ambiguous_names
            when 'join_depth' then queries.mean_joins
        end::double as measure,
        case checks.check_name
            when 'ambiguous_columns'
                then complexity.n_repeated_names || ' names in three tables or more, '
                    || complexity.n_ambiguous_names || ' of them with different value domains'
                    || coalesce(': ' || array_to_string(complexity.ambiguous_names[:12], ', '), '')
            when 'foreign_key_coverage'
                then complexity.n_enforced_relationships || ' of ' || complexity.n_relationships || ' references are declared'
            when 'dialect_constructs'
                then array_to_string(list_sort(list_intersect(queries.constructs, hard.constructs)), ', ')
                    || if(len(queries.constructs) > 0, ' of ' || array_to_string(queries.constructs, ', '), '')
            when 'undocumented_ambiguity'
                then complexity.n_undocumented_ambiguous_names || ' of ' || complexity.n_ambiguous_names
                    || ' ambiguous names stand in a column without comment'
            when 'join_depth'
                then queries.n_deep_queries || ' of ' || queries.n_queries || ' queries have more than five joins'
        end as detail,
    from complexity
    cross join checks
    cross join hard
    left join queries
        on complexity.benchmark = queries.benchmark
        and complexity.db_id = queries.db_id

),

judged as (

    select
        *,
        case
            when measure is null then 'not_measured'
            when check_name = 'foreign_key_coverage' then if(measure < threshold, 'fails', 'passes')
            when measure > threshold then 'fails'
            else 'passes'
        end as status,
    from measured

)

select
    benchmark,
    db_id,
    check_name,
    position,
    label,
    status,
    measure,
    threshold,
    detail,
    case when status = 'fails' then advice end as advice,
    count(*) filter (where status = 'passes') over (partition by benchmark, db_id) as n_passed,
    count(*) filter (where status <> 'not_measured') over (partition by benchmark, db_id) as n_measured,
from judged
order by benchmark, db_id, position
