{#- One line a score model: adding a metric is its model, its row in seeds/metrics.csv, and its name here. -#}
{% set metrics_of = {
    'execution_match': ['ex', 'ex_set', 'ex_multiset', 'ex_strict', 'ex_permuted', 'ex_projection', 'ex_tolerant'],
    'score_exact_match': ['em', 'em_lower'],
    'score_semantic_recall': ['semantic_recall'],
    'score_soft_f1': ['soft_f1', 'soft_f1_by_position'],
    'score_silent_divergence': ['sd_op'],
} -%}

with

scores as (

    {% for model, metrics in metrics_of.items() -%}
    {% set is_last_model = loop.last -%}
    {% for metric in metrics -%}
    select
        prediction_id,
        '{{ metric }}' as metric,
        {% if model == 'execution_match' -%}
        -- A verdict that is undecided (NULL) is no match, and stays in the denominator.
        coalesce({{ metric }}, false)::double as value,
        {%- elif metric == 'sd_op' -%}
        case when is_ex_passing then sd_op end::double as value,
        {%- else -%}
        {{ metric }}::double as value,
        {%- endif %}
    from {{ ref(model) }}
    {% if not (is_last_model and loop.last) -%}
    union all
    {% endif -%}
    {% endfor -%}
    {% endfor %}
),

judged as (

    select
        scores.prediction_id,
        scores.metric,
        -- A question that cannot be scored has no value under any metric.
        case when execution_match.is_judged then scores.value end as value,
    from scores
    inner join {{ ref('execution_match') }} as execution_match on scores.prediction_id = execution_match.prediction_id

)

select * from judged
