with recursive

retrievers as (

    select * from {{ ref('retrievers') }}
    where retriever = 'q_c_reranked'

),

candidates as (

    select * from {{ ref('component_candidates') }}
    where retriever = 'q_c'

),

matches as (

    select * from {{ ref('item_similarities') }}

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

components as (

    select * from {{ ref('script_components') }}
    where knowledge_type <> 'full_sql'

),

held as (

    select distinct
        history,
        db_id,
        history_query_id,
        item_id,
    from components

),

best_matches as (

    -- Of equal ones the first item.
    select
        matches.task_set,
        matches.question_id,
        matches.encoder,
        any_value(matches.history) as history,
        any_value(matches.db_id) as db_id,
        min(matches.item_id) as item_id,
    from matches
    semi join (
        select
            task_set,
            question_id,
            encoder,
            max((score, question_score)) as best,
        from matches
        group by task_set, question_id, encoder
    ) as greatest_scores
        on matches.task_set = greatest_scores.task_set
        and matches.question_id = greatest_scores.question_id
        and matches.encoder = greatest_scores.encoder
        and (matches.score, matches.question_score) = greatest_scores.best
    group by matches.task_set, matches.question_id, matches.encoder

),

holders as (

    -- The scripts that hold the best match, of those that may be retrieved.
    select
        best_matches.task_set,
        best_matches.question_id,
        best_matches.encoder,
        best_matches.history,
        held.history_query_id,
        count(*) over (
            partition by best_matches.task_set, best_matches.question_id, best_matches.encoder
        ) as n_holders,
    from best_matches
    inner join held
        on best_matches.history = held.history
        and best_matches.db_id = held.db_id
        and best_matches.item_id = held.item_id
    inner join similarities
        on best_matches.task_set = similarities.task_set
        and best_matches.question_id = similarities.question_id
        and best_matches.encoder = similarities.encoder
        and held.history_query_id = similarities.history_query_id

),

priors as (

    -- Of them, the share that holds another item as well.
    select
        holders.task_set,
        holders.question_id,
        holders.encoder,
        held.item_id,
        count(*) / any_value(holders.n_holders) as prior,
    from holders
    inner join held
        on holders.history = held.history
        and holders.history_query_id = held.history_query_id
    group by holders.task_set, holders.question_id, holders.encoder, held.item_id

),

candidate_items as (

    select
        task_set,
        question_id,
        encoder,
        uses_questions,
        history_query_id,
        unnest(item_ids) as item_id,
    from candidates

),

mean_priors as (

    select
        candidate_items.task_set,
        candidate_items.question_id,
        candidate_items.encoder,
        candidate_items.uses_questions,
        candidate_items.history_query_id,
        round(avg(coalesce(priors.prior, 0)), 9) as prior,
    from candidate_items
    left join priors
        on candidate_items.task_set = priors.task_set
        and candidate_items.question_id = priors.question_id
        and candidate_items.encoder = priors.encoder
        and candidate_items.item_id = priors.item_id
    group by
        candidate_items.task_set,
        candidate_items.question_id,
        candidate_items.encoder,
        candidate_items.uses_questions,
        candidate_items.history_query_id

),

weighed as (

    select
        candidates.task_set,
        candidates.question_id,
        candidates.encoder,
        candidates.uses_questions,
        candidates.history_query_id,
        candidates.rank,
        candidates.score,
        candidates.whole_score,
        candidates.item_ids,
        candidates.item_scores,
        (1 - retrievers.prior_weight) * candidates.score + retrievers.prior_weight * mean_priors.prior
            as weighed_score,
        retrievers.redundancy_penalty,
        retrievers.n_most,
    from candidates
    inner join retrievers on candidates.rank <= retrievers.n_pool
    inner join mean_priors
        on candidates.task_set = mean_priors.task_set
        and candidates.question_id = mean_priors.question_id
        and candidates.encoder = mean_priors.encoder
        and candidates.uses_questions = mean_priors.uses_questions
        and candidates.history_query_id = mean_priors.history_query_id

),

chosen as (

    -- Always the script with the best score once what earlier ones have brought is held against it.
    select
        task_set,
        question_id,
        encoder,
        uses_questions,
        0 as rank,
        null::varchar as history_query_id,
        null::double as score,
        []::varchar[] as taken_ids,
        []::varchar[] as brought_ids,
    from weighed
    group by task_set, question_id, encoder, uses_questions

    union all

    select
        task_set,
        question_id,
        encoder,
        uses_questions,
        rank,
        history_query_id,
        adjusted_score as score,
        taken_ids || [history_query_id] as taken_ids,
        list_distinct(brought_ids || item_ids) as brought_ids,
    from (
        select
            chosen.task_set,
            chosen.question_id,
            chosen.encoder,
            chosen.uses_questions,
            chosen.rank + 1 as rank,
            weighed.history_query_id,
            weighed.item_ids,
            chosen.taken_ids,
            chosen.brought_ids,
            round(
                weighed.weighed_score * (
                    1 - weighed.redundancy_penalty
                    * len(list_intersect(weighed.item_ids, chosen.brought_ids)) / len(weighed.item_ids)
                ), 6
            ) as adjusted_score,
            row_number() over (
                partition by chosen.task_set, chosen.question_id, chosen.encoder, chosen.uses_questions
                order by adjusted_score desc, weighed.rank asc
            ) as place,
        from chosen
        inner join weighed
            on chosen.task_set = weighed.task_set
            and chosen.question_id = weighed.question_id
            and chosen.encoder = weighed.encoder
            and chosen.uses_questions = weighed.uses_questions
            and not list_contains(chosen.taken_ids, weighed.history_query_id)
        where chosen.rank < weighed.n_most
    )
    where place = 1

),

reranked as (

    -- Within a script the scores of its items keep their proportions.
    select
        chosen.task_set,
        chosen.question_id,
        chosen.encoder,
        'q_c_reranked' as retriever,
        chosen.uses_questions,
        chosen.history_query_id,
        chosen.score,
        chosen.rank,
        round(chosen.score * weighed.whole_score / weighed.score, 6) as whole_score,
        weighed.item_ids,
        list_transform(
            weighed.item_scores,
            lambda item_score: round(chosen.score * item_score / weighed.score, 6)
        ) as item_scores,
    from chosen
    inner join weighed
        on chosen.task_set = weighed.task_set
        and chosen.question_id = weighed.question_id
        and chosen.encoder = weighed.encoder
        and chosen.uses_questions = weighed.uses_questions
        and chosen.history_query_id = weighed.history_query_id
    where chosen.rank > 0

)

select * from reranked
