with

studied as (

    select * from {{ ref('history_encoders') }}
    where encoder = 'lexical'

),

asked as (

    select * from {{ ref('history_questions') }}

),

masked as (

    select * from {{ ref('masked_questions') }}
    where source = 'task'

),

texts as (

    select * from {{ ref('history_texts') }}

),

readings as (

    -- Weights come from questions alone: the text of a query would tell of itself through them.
    select
        asked.task_set,
        asked.db_id,
        false as is_masked,
        asked.question_id,
        asked.question as text,
    from asked
    semi join studied on asked.task_set = studied.task_set
    union all
    select
        masked.pool as task_set,
        masked.db_id,
        true as is_masked,
        masked.id as question_id,
        masked.masked_question as text,
    from masked
    semi join studied on masked.pool = studied.task_set

),

sizes as (

    select
        task_set,
        db_id,
        is_masked,
        count(*) as n_questions,
    from readings
    group by task_set, db_id, is_masked

),

frequencies as (

    select
        task_set,
        db_id,
        is_masked,
        token,
        count(*) as n_questions_with_token,
    from (
        select distinct
            task_set,
            db_id,
            is_masked,
            question_id,
            unnest({{ question_words('text') }}) as token,
        from readings
    )
    group by task_set, db_id, is_masked, token

),

distinct_texts as (

    select distinct
        task_set,
        db_id,
        starts_with(kind, 'masked') as is_masked,
        text_id,
        text,
    from texts
    semi join studied on texts.task_set = studied.task_set

),

tokens as (

    select distinct
        task_set,
        db_id,
        is_masked,
        text_id,
        unnest({{ question_words('text') }}) as token,
    from distinct_texts

),

weighted as (

    select
        tokens.*,
        ln(1 + sizes.n_questions / coalesce(frequencies.n_questions_with_token, 1)::double) as weight,
    from tokens
    inner join sizes
        on tokens.task_set = sizes.task_set
        and tokens.db_id = sizes.db_id
        and tokens.is_masked = sizes.is_masked
    left join frequencies
        on tokens.task_set = frequencies.task_set
        and tokens.db_id = frequencies.db_id
        and tokens.is_masked = frequencies.is_masked
        and tokens.token = frequencies.token

),

normed as (

    select
        task_set,
        db_id,
        is_masked,
        text_id,
        token,
        -- Decimal numbers, whose sums are the same in whatever order they are made.
        (weight / sqrt(sum((weight * weight)::decimal(18, 9)) over (
            partition by task_set, db_id, is_masked, text_id
        )::double))::decimal(18, 9) as weight,
    from weighted

)

select * from normed
