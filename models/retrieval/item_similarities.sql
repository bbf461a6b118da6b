with

encoders as (

    select * from {{ ref('history_encoders') }}

),

lexical as (

    select * from encoders
    where encoder = 'lexical'

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

components as (

    select * from {{ ref('component_phrases') }}

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

holders as (

    -- The two that were known first tell for every task whether another script than its own said it by then.
    select
        said.history,
        said.db_id,
        said.item_id,
        said.text_id,
        scripts.history_query_id,
        scripts.known_since,
        row_number() over (
            partition by said.history, said.db_id, said.item_id, said.text_id
            order by scripts.known_since asc nulls first, scripts.query_position asc, scripts.history_query_id asc
        ) as holder_number,
    from (
        select distinct
            history,
            db_id,
            item_id,
            md5(phrase) as text_id,
            history_query_id,
        from components
    ) as said
    inner join scripts
        on said.history = scripts.history
        and said.history_query_id = scripts.history_query_id

),

first_holders as (

    select
        history,
        db_id,
        item_id,
        text_id,
        max(history_query_id) filter (where holder_number = 1) as first_id,
        max(known_since) filter (where holder_number = 1) as first_known_since,
        bool_or(holder_number = 2) as has_second,
        max(known_since) filter (where holder_number = 2) as second_known_since,
    from holders
    group by history, db_id, item_id, text_id

),

asked_texts as (

    -- Numbers stand for texts, tasks and items: pairs of them are many.
    select
        texts.task_set,
        texts.db_id,
        texts.id as question_id,
        dense_rank() over (order by texts.task_set, texts.id) as task_number,
        texts.text_number,
        texts.text_id,
        dense_rank() over (order by texts.task_set, texts.db_id, texts.text_id) as asked_number,
        case when texts.kind = 'keyword' then texts.text end as keyword,
    from texts
    where texts.kind in ('task_question', 'keyword')

),

item_texts as (

    select
        task_set,
        db_id,
        history,
        id as item_id,
        dense_rank() over (order by task_set, history, db_id, id) as item_number,
        text_id,
        dense_rank() over (order by task_set, db_id, text_id) as item_text_number,
    from texts
    where kind = 'component'

),

distinct_asked as (

    select distinct
        task_set,
        db_id,
        text_id,
        asked_number,
    from asked_texts

),

distinct_items as (

    select distinct
        task_set,
        db_id,
        text_id,
        item_text_number,
    from item_texts

),

by_vectors as (

    select
        distinct_asked.asked_number,
        distinct_items.item_text_number,
        list_inner_product(asked_vectors.vector, item_vectors.vector) as cosine,
    from distinct_asked
    inner join distinct_items
        on distinct_asked.task_set = distinct_items.task_set
        and distinct_asked.db_id = distinct_items.db_id
    inner join vectors as asked_vectors
        on distinct_asked.task_set = asked_vectors.task_set
        and distinct_asked.text_id = asked_vectors.text_id
    inner join vectors as item_vectors
        on distinct_items.task_set = item_vectors.task_set
        and distinct_items.text_id = item_vectors.text_id

),

shared_words as (

    select
        distinct_asked.asked_number,
        distinct_items.item_text_number,
        sum(asked_words.weight * item_words.weight)::double as cosine,
    from distinct_asked
    inner join words as asked_words
        on distinct_asked.task_set = asked_words.task_set
        and distinct_asked.db_id = asked_words.db_id
        and distinct_asked.text_id = asked_words.text_id
        and not asked_words.is_masked
    inner join words as item_words
        on asked_words.task_set = item_words.task_set
        and asked_words.db_id = item_words.db_id
        and asked_words.token = item_words.token
        and not item_words.is_masked
    inner join distinct_items
        on item_words.task_set = distinct_items.task_set
        and item_words.db_id = distinct_items.db_id
        and item_words.text_id = distinct_items.text_id
    group by distinct_asked.asked_number, distinct_items.item_text_number

),

by_words as (

    -- On the encoders' scale, as in `script_similarities`; texts that share no word have 0.
    select
        distinct_asked.asked_number,
        distinct_items.item_text_number,
        sqrt(coalesce(shared_words.cosine, 0)) as cosine,
    from distinct_asked
    semi join lexical on distinct_asked.task_set = lexical.task_set
    inner join distinct_items
        on distinct_asked.task_set = distinct_items.task_set
        and distinct_asked.db_id = distinct_items.db_id
    left join shared_words
        on distinct_asked.asked_number = shared_words.asked_number
        and distinct_items.item_text_number = shared_words.item_text_number

),

cosines as (

    select
        asked_number,
        item_text_number,
        {{ rounded_cosine('cosine') }} as cosine,
    from (
        select * from by_vectors
        union all
        select * from by_words
    )

),

scored as (

    -- Of equal cosines the first keyword is the nearest: millionths and its place make one number.
    select
        asked_texts.task_number,
        cosines.item_text_number,
        max(cosines.cosine) as score,
        coalesce(max(cosines.cosine) filter (where asked_texts.keyword is null), 0) as question_score,
        arg_max(asked_texts.keyword, (cosines.cosine * 1000000)::bigint * 1000 - asked_texts.text_number)
            filter (where asked_texts.keyword is not null) as nearest_keyword,
        max(cosines.cosine) filter (where asked_texts.keyword is not null) as keyword_score,
    from asked_texts
    inner join cosines on asked_texts.asked_number = cosines.asked_number
    group by asked_texts.task_number, cosines.item_text_number

),

numbered_tasks as (

    select distinct
        asked_texts.task_number,
        tasks.task_set,
        tasks.question_id,
        tasks.own_query_id,
        tasks.asked_at,
    from asked_texts
    inner join tasks
        on asked_texts.task_set = tasks.task_set
        and asked_texts.question_id = tasks.question_id

),

allowed as (

    select
        scored.task_number,
        item_texts.item_number,
        scored.item_text_number,
        scored.score,
        scored.question_score,
        scored.keyword_score,
        scored.nearest_keyword,
    from scored
    inner join item_texts on scored.item_text_number = item_texts.item_text_number
    inner join numbered_tasks on scored.task_number = numbered_tasks.task_number
    inner join first_holders
        on item_texts.history = first_holders.history
        and item_texts.db_id = first_holders.db_id
        and item_texts.item_id = first_holders.item_id
        and item_texts.text_id = first_holders.text_id
    where
        if(
            first_holders.first_id is distinct from numbered_tasks.own_query_id,
            coalesce(first_holders.first_known_since < numbered_tasks.asked_at, true),
            first_holders.has_second and coalesce(first_holders.second_known_since < numbered_tasks.asked_at, true)
        )

),

best as (

    select
        task_number,
        item_number,
        max(score) as score,
        -- Of equal scores the question as a whole counts.
        case
            when max(keyword_score) > max(question_score)
                then arg_max(nearest_keyword, (keyword_score * 1000000)::bigint * 1000000000 + item_text_number)
        end as best_keyword,
        max(question_score) as question_score,
    from allowed
    group by task_number, item_number

),

numbered_items as (

    select distinct
        item_number,
        history,
        db_id,
        item_id,
    from item_texts

),

named as (

    select
        numbered_tasks.task_set,
        numbered_tasks.question_id,
        encoders.encoder,
        numbered_items.history,
        numbered_items.db_id,
        numbered_items.item_id,
        best.score,
        best.best_keyword,
        best.question_score,
    from best
    inner join numbered_tasks on best.task_number = numbered_tasks.task_number
    inner join numbered_items on best.item_number = numbered_items.item_number
    inner join encoders on numbered_tasks.task_set = encoders.task_set

)

select * from named
