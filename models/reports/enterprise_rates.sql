{% set shown = {
    'ex_all': ('enterprise', 'ex'),
    'ex_generated': ('enterprise_generated', 'ex'),
    'ex_executed': ('enterprise_executed', 'ex'),
    'em': ('enterprise', 'em'),
    'semantic_recall': ('enterprise', 'semantic_recall'),
    'semantic_recall_failing': ('enterprise', 'semantic_recall_failing'),
    'ex_projection': ('enterprise', 'ex_projection'),
    'sd': ('enterprise', 'sd'),
    'sd_executed': ('enterprise_executed', 'sd_executed'),
    'sd_op': ('enterprise', 'sd_op'),
    'sd_op_executed': ('enterprise_executed', 'sd_op_executed'),
    'generation_rate': ('enterprise', 'generation_rate'),
    'execution_rate': ('enterprise', 'execution_rate'),
} -%}

with

intervals as (

    select * from {{ ref('metric_intervals') }}
    where
        protocol in ('enterprise', 'enterprise_generated', 'enterprise_executed')
        and slice_by in (
            'all', 'tier', 'schema', 'category_group', 'category', 'tier_and_category_group', 'tier_and_category'
        )

),

placed as (

    -- Benchmarks with tiers alone.
    select * from intervals
    semi join {{ ref('questions') }} as questions
        on intervals.benchmark = questions.benchmark
        and questions.tier is not null

),

runs as (

    select * from {{ ref('stg_runs') }}

),

gathered as (

    select
        benchmark,
        prediction_set,
        slice_by,
        slice,
        coalesce(max(denominator) filter (where protocol = 'enterprise' and metric = 'ex'), 0) as n_questions,
        coalesce(max(denominator) filter (where protocol = 'enterprise_generated' and metric = 'ex'), 0) as n_generated,
        coalesce(max(denominator) filter (where protocol = 'enterprise_executed' and metric = 'ex'), 0) as n_executed,
        coalesce(max(denominator) filter (where protocol = 'enterprise' and metric = 'sd'), 0) as n_sd_tested,
        {% for name, (protocol, metric) in shown.items() -%}
        max(value) filter (where protocol = '{{ protocol }}' and metric = '{{ metric }}') as {{ name }},
        {% endfor -%}
        {% for name in ['ex_all', 'ex_executed', 'sd', 'execution_rate'] -%}
        {% set protocol, metric = shown[name] -%}
        max(ci_low) filter (where protocol = '{{ protocol }}' and metric = '{{ metric }}') as {{ name }}_low,
        max(ci_high) filter (where protocol = '{{ protocol }}' and metric = '{{ metric }}') as {{ name }}_high,
        {% endfor -%}
    from placed
    group by benchmark, prediction_set, slice_by, slice

)

select
    gathered.benchmark,
    gathered.prediction_set,
    runs.model,
    runs.setting as prompt_setting,
    gathered.* exclude (benchmark, prediction_set),
from gathered
left join runs
    on gathered.benchmark = runs.benchmark
    and gathered.prediction_set = runs.prediction_set
order by gathered.benchmark, gathered.prediction_set, gathered.slice_by, gathered.slice
