with

components as (

    select * from {{ ref('script_components') }}

),

queries as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

pools as (

    select
        history,
        db_id,
        count(*) as n_queries_of_database,
    from queries
    group by history, db_id

),

spellings as (

    select
        history,
        db_id,
        item_id,
        published_skeleton,
        count(*) as n_components,
    from components
    group by history, db_id, item_id, published_skeleton

),

usual_spellings as (

    select
        history,
        db_id,
        item_id,
        published_skeleton,
    from spellings
    qualify row_number() over (
        partition by history, db_id, item_id
        order by n_components desc, published_skeleton asc
    ) = 1

),

counted as (

    select
        history,
        db_id,
        item_id,
        knowledge_type,
        skeleton,
        count(distinct history_query_id) as n_queries,
    from components
    group by history, db_id, item_id, knowledge_type, skeleton

),

shared as (

    select
        counted.history,
        counted.db_id,
        counted.item_id,
        counted.knowledge_type,
        counted.skeleton,
        usual_spellings.published_skeleton,
        counted.n_queries,
        counted.n_queries / pools.n_queries_of_database as query_share,
        counted.n_queries > 0.1 * pools.n_queries_of_database as is_frequent,
    from counted
    inner join pools
        on counted.history = pools.history
        and counted.db_id = pools.db_id
    inner join usual_spellings
        on counted.history = usual_spellings.history
        and counted.db_id = usual_spellings.db_id
        and counted.item_id = usual_spellings.item_id

)

select * from shared
