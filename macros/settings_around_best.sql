{#- Of a retriever's settings, the best and those that share its threshold or number of shots, whichever is `kept`; a
    setting that somebody answered with is always among them. -#}
{% macro settings_around_best(settings, kept) -%}
    select {{ settings }}.* exclude (level)
    from {{ settings }}
    semi join {{ settings }} as best
        on {{ settings }}.task_set = best.task_set
        and {{ settings }}.encoder = best.encoder
        and {{ settings }}.retriever = best.retriever
        and {{ settings }}.uses_questions = best.uses_questions
        and ({{ settings }}.{{ kept }} is not distinct from best.{{ kept }} or {{ settings }}.prediction_set is not null)
        and best.is_best
{%- endmacro %}
