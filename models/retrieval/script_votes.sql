with

settings as (

    select * from {{ ref('evalhouse_settings') }}

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

likenesses as (

    select
        similarities.task_set,
        similarities.question_id,
        similarities.encoder,
        similarities.history,
        similarities.db_id,
        similarities.history_query_id,
        similarities.query_position,
        settings.uses_questions,
        settings.sharpness,
        settings.n_voters,
        -- What a script has no text for is left out of its mean.
        round(
            (
                coalesce(settings.question_weight * similarities.qs, 0)
                + coalesce(settings.masked_question_weight * similarities.mqs, 0)
                + coalesce(settings.description_weight * similarities.description_score, 0)
                + coalesce(settings.masked_description_weight * similarities.masked_description_score, 0)
            ) / nullif(
                if(similarities.qs is null, 0, settings.question_weight)
                + if(similarities.mqs is null, 0, settings.masked_question_weight)
                + if(similarities.description_score is null, 0, settings.description_weight)
                + if(similarities.masked_description_score is null, 0, settings.masked_description_weight),
                0
            ), 6
        ) as likeness,
    from similarities
    inner join settings
        on similarities.task_set = settings.task_set
        and similarities.db_id = settings.db_id

),

voters as (

    select
        *,
        row_number() over (
            partition by task_set, question_id, encoder, uses_questions
            order by likeness desc, query_position asc, history_query_id asc
        ) as place,
        max(likeness) over (partition by task_set, question_id, encoder, uses_questions) as greatest_likeness,
    from likenesses
    where likeness is not null
    qualify place <= n_voters

),

weighed as (

    select
        task_set,
        question_id,
        encoder,
        uses_questions,
        history,
        db_id,
        history_query_id,
        query_position,
        place,
        likeness,
        -- Decimal numbers, whose sums are the same in whatever order they are made.
        exp(sharpness * (likeness - greatest_likeness))::decimal(18, 9) as weight,
    from voters

)

select * from weighed
