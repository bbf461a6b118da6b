with

requests as (

    select * from {{ ref('requests') }}

),

responses as (

    select * from {{ ref('stg_responses') }}

),

pending as (

    select
        requests.request_id,
        requests.prediction_set,
        requests.benchmark,
        requests.question_id,
        requests.sample,
        requests.purpose,
        requests.model,
        requests.dialect,
        requests.db_id,
        requests.question,
        requests.gold_sql,
        requests.control_sql,
    from requests
    where not exists (
        select 1 from responses
        where responses.request_id = requests.request_id
    )

)

select * from pending
order by prediction_set, benchmark, question_id, sample
