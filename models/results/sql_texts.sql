with

gold_texts as (

    select distinct
        sql_id,
        dialect,
        gold_sql as sql,
    from {{ ref('golds') }}
    where sql_id is not null

),

predicted_texts as (

    select distinct
        sql_id,
        dialect,
        predicted_sql as sql,
    from {{ ref('predictions') }}
    where sql_id is not null

),

union_gold_texts as (

    select distinct
        union_sql_id as sql_id,
        dialect,
        union_sql as sql,
    from {{ ref('union_golds') }}
    where union_sql_id is not null

),

drafted_texts as (

    select distinct
        sql_id,
        dialect,
        sql,
    from {{ ref('drafted_statements') }}

),

distractor_texts as (

    select distinct
        sql_id,
        dialect,
        distractor_sql as sql,
    from {{ ref('distractors') }}

),

texts as (

    select * from gold_texts
    union
    select * from union_gold_texts
    union
    select * from predicted_texts
    union
    select * from drafted_texts
    union
    select * from distractor_texts

)

select * from texts
