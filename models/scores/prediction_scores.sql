{#- One line a score model: adding a metric is its model, its row in seeds/metrics.csv, and its name here. -#}
{% set metrics_of = {
    'prediction_verdicts': ['ex', 'ex_set', 'ex_multiset', 'ex_strict', 'ex_permuted', 'ex_projection', 'ex_tolerant'],
    'score_exact_match': ['em', 'em_lower'],
    'score_completion': ['generation_rate', 'execution_rate'],
    'score_semantic_recall': ['semantic_recall', 'semantic_recall_failing'],
    'score_soft_f1': ['soft_f1', 'soft_f1_by_position'],
    'score_silent_divergence': ['sd_op', 'sd_op_executed'],
    'score_automatic_divergence': ['sd_auto'],
    'score_formal_divergence': ['sd', 'sd_executed'],
    'score_namespace': ['ex_set_namespace', 'ex_namespace'],
} -%}

with

scores as (

    {% for model, metrics in metrics_of.items() -%}
    {% set is_last_model = loop.last -%}
    {% for metric in metrics -%}
    select
        prediction_id,
        '{{ metric }}' as metric,
        {% if model == 'prediction_verdicts' -%}
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
        case when verdicts.is_judged then scores.value end as value,
    from scores
    inner join {{ ref('prediction_verdicts') }} as verdicts on scores.prediction_id = verdicts.prediction_id

),

derived as (

    -- A derived prediction has the scores of the sample it repeats, and none while it waits for the choice.
    select
        choices.prediction_id,
        judged.metric,
        case when choices.derived_from_prediction_id is not null then judged.value end as value,
    from {{ ref('majority_choices') }} as choices
    inner join judged
        on coalesce(choices.derived_from_prediction_id, choices.first_prediction_id) = judged.prediction_id

),

everything as (

    select * from judged
    union all
    select * from derived

)

select * from everything
