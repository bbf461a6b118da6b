with

run_questions as (

    select * from {{ ref('run_questions') }}

),

cell_questions as (

    select * from {{ ref('cell_questions') }}

),

requests as (

    select * from {{ ref('requests') }}

),

answered as (

    select distinct request_id
    from {{ ref('attempts') }}
    where predicted_sql is not null or outcome = 'truncated'

),

asked as (

    select
        run_questions.prediction_set,
        run_questions.benchmark,
        count(*) as n_questions,
        count(*) filter (where cell_questions.status in ('over_cap', 'no_labels')) as n_not_asked,
        count(*) filter (where cell_questions.status = 'no_ranking') as n_without_ranking,
    from run_questions
    left join cell_questions
        on run_questions.run_id = cell_questions.run_id
        and run_questions.question_id = cell_questions.question_id
    group by run_questions.prediction_set, run_questions.benchmark

),

done as (

    select
        requests.prediction_set,
        requests.benchmark,
        count(*) as n_requests,
        count(answered.request_id) as n_done,
    from requests
    left join answered on requests.request_id = answered.request_id
    group by requests.prediction_set, requests.benchmark

),

counted as (

    select
        asked.*,
        coalesce(done.n_requests, 0) as n_requests,
        coalesce(done.n_done, 0) as n_done,
    from asked
    left join done
        on asked.prediction_set = done.prediction_set
        and asked.benchmark = done.benchmark

)

select * from counted
order by prediction_set, benchmark
