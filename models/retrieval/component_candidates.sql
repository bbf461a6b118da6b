with

retrievers as (

    select * from {{ ref('retrievers') }}

),

thresholds as (

    select min(threshold) as lowest_threshold from {{ ref('history_thresholds') }}

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

matches as (

    select * from {{ ref('item_similarities') }}

),

components as (

    select * from {{ ref('script_components') }}

),

held as (

    select distinct
        history,
        db_id,
        history_query_id,
        item_id,
    from components

),

own_scores as (

    -- How alike the scripts themselves are to the question: as retriever q sees them.
    select
        task_set,
        question_id,
        encoder,
        history,
        db_id,
        history_query_id,
        query_position,
        unnest([true, false]) as uses_questions,
        unnest([greatest(qs, description_score), description_score]) as own_score,
    from similarities

),

matched as (

    select
        matches.task_set,
        matches.question_id,
        matches.encoder,
        matches.history,
        matches.db_id,
        matches.item_id,
        matches.score,
    from matches
    cross join thresholds
    where matches.score >= thresholds.lowest_threshold

),

traced as (

    -- An item comes from the script that is itself most like the question.
    select
        matched.task_set,
        matched.question_id,
        matched.encoder,
        own_scores.uses_questions,
        own_scores.history_query_id,
        own_scores.query_position,
        matched.item_id,
        matched.score,
    from matched
    inner join held
        on matched.history = held.history
        and matched.db_id = held.db_id
        and matched.item_id = held.item_id
    inner join own_scores
        on matched.task_set = own_scores.task_set
        and matched.question_id = own_scores.question_id
        and matched.encoder = own_scores.encoder
        and held.history_query_id = own_scores.history_query_id
    qualify row_number() over (
        partition by
            matched.task_set, matched.question_id, matched.encoder, own_scores.uses_questions, matched.item_id
        order by own_scores.own_score desc nulls last, own_scores.query_position asc, own_scores.history_query_id asc
    ) = 1

),

whole as (

    select
        own_scores.task_set,
        own_scores.question_id,
        own_scores.encoder,
        own_scores.uses_questions,
        own_scores.history_query_id,
        own_scores.query_position,
        held.item_id,
        own_scores.own_score as score,
    from own_scores
    cross join thresholds
    inner join held
        on own_scores.history = held.history
        and own_scores.history_query_id = held.history_query_id
    where own_scores.own_score >= thresholds.lowest_threshold

),

brought as (

    select
        'c' as retriever,
        null::double as whole_score,
        *,
    from traced

    union all by name

    select
        'q_c' as retriever,
        null::double as whole_score,
        *,
    from traced

    union all by name

    select
        'q_c' as retriever,
        score as whole_score,
        *,
    from whole

),

per_item as (

    select
        retriever,
        task_set,
        question_id,
        encoder,
        uses_questions,
        history_query_id,
        query_position,
        item_id,
        max(score) as score,
        max(whole_score) as whole_score,
    from brought
    group by all

),

per_script as (

    select
        retriever,
        task_set,
        question_id,
        encoder,
        uses_questions,
        history_query_id,
        query_position,
        max(score) as score,
        max(whole_score) as whole_score,
        list(item_id order by score desc, item_id) as item_ids,
        list(score order by score desc, item_id) as item_scores,
    from per_item
    group by all

),

pools as (

    -- Of q_c as many as its reranker looks at.
    select
        if(retriever = 'c', 'c', 'q_c') as retriever,
        max(coalesce(n_pool, n_most)) as n_pool,
    from retrievers
    where retriever in ('c', 'q_c', 'q_c_reranked')
    group by if(retriever = 'c', 'c', 'q_c')

),

ranked as (

    select
        per_script.task_set,
        per_script.question_id,
        per_script.encoder,
        per_script.retriever,
        per_script.uses_questions,
        per_script.history_query_id,
        per_script.score,
        row_number() over (
            partition by
                per_script.task_set,
                per_script.question_id,
                per_script.encoder,
                per_script.retriever,
                per_script.uses_questions
            order by per_script.score desc, per_script.query_position asc, per_script.history_query_id asc
        ) as rank,
        per_script.whole_score,
        per_script.item_ids,
        per_script.item_scores,
        pools.n_pool,
    from per_script
    inner join pools on per_script.retriever = pools.retriever

),

kept as (

    select * exclude (n_pool) from ranked
    where rank <= n_pool

)

select * from kept
