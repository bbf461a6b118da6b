with

studied as (

    select * from {{ ref('budget_benchmarks') }}

),

checks as (

    select * from {{ ref('validation_checks') }}

),

pool as (

    select
        benchmark,
        count(distinct db_id) as n_databases,
        count(*) as n_tables,
        sum(n_columns) as n_columns,
        count(*) filter (where is_colliding) as n_colliding_tables,
    from {{ ref('pooled_tables') }}
    group by benchmark

),

catalogs as (

    select
        benchmark,
        max(n_catalog_tokens) as n_catalog_tokens,
    from {{ ref('budget_caps') }}
    group by benchmark

),

splits as (

    select
        benchmark,
        count(*) filter (where split = 'calibration') as n_calibration_questions,
        count(*) filter (where split = 'held_out') as n_held_out_questions,
        count(*) filter (where has_twin_in_other_split) as n_questions_with_twin,
    from {{ ref('question_splits') }}
    group by benchmark

),

labels as (

    select
        benchmark,
        -- As the gate has it: a gold of a database without a catalog cannot be read by anyone.
        numerator / nullif(denominator - n_golds_without_catalog, 0) as label_coverage,
    from {{ ref('label_coverage_rates') }}
    where gold_edition = 'benchmark'

),

invariance as (

    select
        benchmark,
        n_executable as n_executable_golds,
        n_not_run as n_golds_not_run_in_union,
        share_same as gold_invariance,
    from {{ ref('gold_invariance') }}
    where gold_edition = 'benchmark'

),

packings as (

    select
        benchmark,
        count(*) as n_packings,
        count(*) filter (where n_tokens > cap_tokens) as n_packings_over_cap,
        count(*) filter (where is_infeasible) as n_infeasible_packings,
    from {{ ref('packings') }}
    group by benchmark

),

leaks as (

    select
        benchmark,
        count(*) filter (where not is_clean) as n_leaking_packings,
    from {{ ref('leak_audit') }}
    group by benchmark

),

lexical_leaks as (

    select
        benchmark,
        count(*) filter (where n_lexical_leaks > 0) as n_packings_with_lexical_leaks,
    from {{ ref('lexical_leaks') }}
    group by benchmark

),

measured as (

    {% set measures = {
        'pool': ['n_databases', 'n_tables', 'n_columns', 'n_colliding_tables'],
        'catalogs': ['n_catalog_tokens'],
        'splits': ['n_calibration_questions', 'n_held_out_questions', 'n_questions_with_twin'],
        'labels': ['label_coverage'],
        'invariance': ['n_executable_golds', 'n_golds_not_run_in_union', 'gold_invariance'],
        'packings': ['n_packings', 'n_packings_over_cap', 'n_infeasible_packings'],
        'leaks': ['n_leaking_packings'],
        'lexical_leaks': ['n_packings_with_lexical_leaks'],
    } -%}
    {% for part, names in measures.items() -%}
    {% set is_last_part = loop.last -%}
    {% for name in names -%}
    select
        benchmark,
        '{{ name }}' as check_name,
        {{ name }}::double as value,
    from {{ part }}
    {%- if not (is_last_part and loop.last) %}
    union all
    {% endif %}
    {%- endfor %}
    {%- endfor %}

)

select
    studied.benchmark,
    checks.check_name,
    measured.value,
    checks.expected,
    case when checks.expected is not null then coalesce(measured.value = checks.expected, false) end as is_as_expected,
    checks.paper_value,
    checks.meaning,
from studied
cross join checks
left join measured
    on studied.benchmark = measured.benchmark
    and checks.check_name = measured.check_name
order by studied.benchmark, checks.position
