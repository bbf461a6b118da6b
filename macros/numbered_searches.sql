{#- Of tasks compared with scripts, the searches: a task and encoder, with the history's questions and without. Numbers
    stand for them in the order that ties are broken in: pairs of searches and scripts are many. -#}
{% macro numbered_searches(similarities) -%}
    select
        task_set,
        question_id,
        encoder,
        uses_questions,
        row_number() over (order by task_set, question_id, encoder, uses_questions) as search_number,
    from (
        select distinct
            task_set,
            question_id,
            encoder,
        from {{ similarities }}
    )
    cross join (select unnest([true, false]) as uses_questions)
{%- endmacro %}
