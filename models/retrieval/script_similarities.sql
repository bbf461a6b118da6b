with

encoders as (

    select * from {{ ref('history_encoders') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

texts as (

    select * from {{ ref('history_texts') }}

),

vectors as (

    select * from {{ ref('history_vectors') }}

),

words as (

    select * from {{ ref('history_word_weights') }}

),

task_vectors as (

    select
        texts.task_set,
        texts.id as question_id,
        any_value(vectors.vector) filter (where texts.kind = 'task_question') as question,
        any_value(vectors.vector) filter (where texts.kind = 'masked_task_question') as masked_question,
    from texts
    inner join vectors
        on texts.task_set = vectors.task_set
        and texts.text_id = vectors.text_id
    where texts.kind in ('task_question', 'masked_task_question')
    group by texts.task_set, texts.id

),

script_vectors as (

    select
        texts.task_set,
        texts.id as history_query_id,
        any_value(vectors.vector) filter (where texts.kind = 'script_question') as question,
        any_value(vectors.vector) filter (where texts.kind = 'masked_script_question') as masked_question,
        any_value(vectors.vector) filter (where texts.kind = 'script_description') as description,
        any_value(vectors.vector) filter (where texts.kind = 'masked_script_description') as masked_description,
    from texts
    inner join vectors
        on texts.task_set = vectors.task_set
        and texts.text_id = vectors.text_id
    where
        texts.kind in (
            'script_question', 'masked_script_question', 'script_description', 'masked_script_description'
        )
    group by texts.task_set, texts.id

),

asked_tasks as (

    -- Vectors stand beside tasks and scripts before these are paired: each is fetched once, and not for every pair.
    select
        tasks.task_set,
        tasks.question_id,
        tasks.history,
        tasks.db_id,
        tasks.own_query_id,
        tasks.asked_at,
        encoders.encoder,
        task_vectors.question,
        task_vectors.masked_question,
    from tasks
    inner join encoders on tasks.task_set = encoders.task_set
    left join task_vectors
        on tasks.task_set = task_vectors.task_set
        and tasks.question_id = task_vectors.question_id

),

known_scripts as (

    select
        encoders.task_set,
        scripts.db_id,
        scripts.history_query_id,
        scripts.query_position,
        scripts.known_since,
        script_vectors.question,
        script_vectors.masked_question,
        script_vectors.description,
        script_vectors.masked_description,
    from scripts
    inner join encoders on scripts.history = encoders.history
    left join script_vectors
        on encoders.task_set = script_vectors.task_set
        and scripts.history_query_id = script_vectors.history_query_id

),

by_vectors as (

    -- Never its own query, nor what nobody had run before it was asked. NULL where words are compared.
    select
        asked_tasks.task_set,
        asked_tasks.question_id,
        asked_tasks.history,
        asked_tasks.db_id,
        asked_tasks.encoder,
        known_scripts.history_query_id,
        known_scripts.query_position,
        list_inner_product(asked_tasks.question, known_scripts.question) as qs,
        list_inner_product(asked_tasks.masked_question, known_scripts.masked_question) as mqs,
        list_inner_product(asked_tasks.question, known_scripts.description) as description_score,
        list_inner_product(asked_tasks.masked_question, known_scripts.masked_description)
            as masked_description_score,
    from asked_tasks
    inner join known_scripts
        on asked_tasks.task_set = known_scripts.task_set
        and asked_tasks.db_id = known_scripts.db_id
        and known_scripts.history_query_id is distinct from asked_tasks.own_query_id
        and coalesce(known_scripts.known_since < asked_tasks.asked_at, true)

),

task_words as (

    select
        texts.task_set,
        texts.db_id,
        texts.id,
        texts.kind = 'masked_task_question' as is_masked,
        words.token,
        words.weight,
    from texts
    inner join words
        on texts.task_set = words.task_set
        and texts.db_id = words.db_id
        and texts.text_id = words.text_id
        and (texts.kind = 'masked_task_question') = words.is_masked
    where texts.kind in ('task_question', 'masked_task_question')

),

script_words as (

    select
        texts.task_set,
        texts.db_id,
        texts.id,
        starts_with(texts.kind, 'masked') as is_masked,
        contains(texts.kind, 'description') as is_description,
        words.token,
        words.weight,
    from texts
    inner join words
        on texts.task_set = words.task_set
        and texts.db_id = words.db_id
        and texts.text_id = words.text_id
        and starts_with(texts.kind, 'masked') = words.is_masked
    where
        texts.kind in (
            'script_question', 'masked_script_question', 'script_description', 'masked_script_description'
        )

),

shared_words as (

    select
        task_words.task_set,
        task_words.id as question_id,
        script_words.id as history_query_id,
        script_words.is_masked,
        script_words.is_description,
        sum(task_words.weight * script_words.weight)::double as cosine,
    from task_words
    inner join script_words
        on task_words.task_set = script_words.task_set
        and task_words.db_id = script_words.db_id
        and task_words.is_masked = script_words.is_masked
        and task_words.token = script_words.token
    group by all

),

-- A script without a text of the kind has no similarity of that kind; texts that share no word have 0.
script_texts as (

    select
        task_set,
        id as history_query_id,
        bool_or(kind = 'script_question') as has_question,
        bool_or(kind = 'script_description') as has_description,
    from texts
    where kind in ('script_question', 'script_description')
    group by task_set, id

),

paired_words as (

    select
        task_set,
        question_id,
        history_query_id,
        max(cosine) filter (where not is_masked and not is_description) as qs,
        max(cosine) filter (where is_masked and not is_description) as mqs,
        max(cosine) filter (where not is_masked and is_description) as description_score,
        max(cosine) filter (where is_masked and is_description) as masked_description_score,
    from shared_words
    group by task_set, question_id, history_query_id

),

compared as (

    -- Words are shared more rarely than meanings: the root of their cosine is a similarity on the encoders' scale.
    select
        by_vectors.* replace (
            if(
                by_vectors.encoder <> 'lexical', by_vectors.qs,
                if(script_texts.has_question, sqrt(coalesce(paired_words.qs, 0)), null)
            ) as qs,
            if(
                by_vectors.encoder <> 'lexical', by_vectors.mqs,
                if(script_texts.has_question, sqrt(coalesce(paired_words.mqs, 0)), null)
            ) as mqs,
            if(
                by_vectors.encoder <> 'lexical', by_vectors.description_score,
                if(script_texts.has_description, sqrt(coalesce(paired_words.description_score, 0)), null)
            ) as description_score,
            if(
                by_vectors.encoder <> 'lexical', by_vectors.masked_description_score,
                if(script_texts.has_description, sqrt(coalesce(paired_words.masked_description_score, 0)), null)
            ) as masked_description_score
        ),
    from by_vectors
    left join script_texts
        on by_vectors.task_set = script_texts.task_set
        and by_vectors.history_query_id = script_texts.history_query_id
    left join paired_words
        on by_vectors.task_set = paired_words.task_set
        and by_vectors.question_id = paired_words.question_id
        and by_vectors.history_query_id = paired_words.history_query_id

),

rounded as (

    select
        task_set,
        question_id,
        encoder,
        history,
        db_id,
        history_query_id,
        query_position,
        {{ rounded_cosine('qs') }} as qs,
        {{ rounded_cosine('mqs') }} as mqs,
        greatest({{ rounded_cosine('qs') }}, {{ rounded_cosine('mqs') }}) as mqs_qs,
        {{ rounded_cosine('description_score') }} as description_score,
        {{ rounded_cosine('masked_description_score') }} as masked_description_score,
    from compared

)

select * from rounded
