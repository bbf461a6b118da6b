with

retrievers as (

    select * from {{ ref('retrievers') }}

),

encoders as (

    select * from {{ ref('history_encoders') }}

),

of_queries as (

    select * from {{ ref('query_candidates') }}

),

of_components as (

    select * from {{ ref('component_candidates') }}

),

reranked as (

    select * from {{ ref('reranked_by_prior') }}

),

voted as (

    select * from {{ ref('evalhouse_candidates') }}

),

gold as (

    select * from {{ ref('gold_candidates') }}

),

of_model as (

    select * from {{ ref('reranked_candidates') }}

),

tasks as (

    select * from {{ ref('history_tasks') }}

),

components as (

    select * from {{ ref('script_components') }}

),

script_items as (

    select
        history,
        history_query_id,
        list(distinct item_id order by item_id) as item_ids,
    from components
    group by history, history_query_id

),

whole as (

    select
        of_queries.*,
        of_queries.score as whole_score,
        coalesce(script_items.item_ids, []) as item_ids,
        list_transform(coalesce(script_items.item_ids, []), lambda item: of_queries.score) as item_scores,
    from of_queries
    inner join tasks
        on of_queries.task_set = tasks.task_set
        and of_queries.question_id = tasks.question_id
    left join script_items
        on tasks.history = script_items.history
        and of_queries.history_query_id = script_items.history_query_id

),

chosen as (

    -- A model gives an order, not a score. What it chooses as a whole is an item too, which it was not shown.
    select
        of_model.*,
        encoders.encoder,
        round(1 / of_model.rank, 6) as score,
        if(of_model.use_all, script_items.item_ids, of_model.item_ids) as brought_ids,
    from of_model
    inner join encoders on of_model.task_set = encoders.task_set
    inner join script_items
        on encoders.history = script_items.history
        and of_model.history_query_id = script_items.history_query_id

),

unioned as (

    select * from whole
    union all by name
    select * from of_components
    union all by name
    select * from reranked
    union all by name
    select * from voted
    union all by name
    select
        gold.*,
        encoders.encoder,
        'gold' as retriever,
        true as uses_questions,
        1 as score,
        null::double as whole_score,
        list_transform(gold.item_ids, lambda item: 1.0::double) as item_scores,
    from gold
    inner join encoders on gold.task_set = encoders.task_set
    union all by name
    select
        task_set,
        question_id,
        encoder,
        retriever,
        uses_questions,
        history_query_id,
        score,
        rank,
        case when use_all then score end as whole_score,
        brought_ids as item_ids,
        list_transform(brought_ids, lambda item: score) as item_scores,
    from chosen

),

listed as (

    select
        unioned.task_set,
        unioned.question_id,
        unioned.encoder,
        unioned.retriever,
        unioned.uses_questions,
        unioned.history_query_id,
        unioned.score::double as score,
        unioned.rank::integer as rank,
        unioned.whole_score is not null as use_all,
        unioned.whole_score,
        unioned.item_ids,
        unioned.item_scores,
    from unioned
    inner join retrievers
        on unioned.retriever = retrievers.retriever
        and unioned.rank <= retrievers.n_most

)

select * from listed
