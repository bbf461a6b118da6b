with

candidates as (

    select * from {{ ref('history_candidates') }}

),

retrievers as (

    select * from {{ ref('retrievers') }}

),

thresholds as (

    select * from {{ ref('history_thresholds') }}

),

shots as (

    select * from {{ ref('shot_limits') }}

),

searched as (

    select distinct
        task_set,
        encoder,
        retriever,
        uses_questions,
    from candidates

),

offered as (

    select * from searched

    union all

    -- Nothing retrieved is a setting too: what the questions alone are worth.
    select distinct
        searched.task_set,
        searched.encoder,
        retrievers.retriever,
        true as uses_questions,
    from searched
    cross join retrievers
    where retrievers.level = 'none'

),

crossed as (

    select
        offered.task_set,
        offered.encoder,
        offered.retriever,
        offered.uses_questions,
        retrievers.level,
        thresholds.threshold,
        shots.shots,
        least(shots.n_most, retrievers.n_most) as n_most_shots,
    from offered
    inner join retrievers on offered.retriever = retrievers.retriever
    left join thresholds on retrievers.uses_threshold
    inner join shots on retrievers.level <> 'none' or shots.shots = 'dynamic'

),

named as (

    select
        task_set,
        encoder,
        concat_ws(
            '-',
            retriever,
            threshold::varchar,
            case when level <> 'none' then shots end,
            case when not uses_questions then 'unasked' end
        ) as history_setting,
        retriever,
        threshold,
        shots,
        n_most_shots,
        uses_questions,
    from crossed

)

select * from named
