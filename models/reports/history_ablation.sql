with

settings as (

    select * from {{ ref('answered_settings') }}
    where
        retriever in ('q_c', 'q', 'c', 'none', 'gold')
        and (is_best or prediction_set is not null)

),

levels as (

    select
        * exclude (retriever, threshold, shots, mean_shots) replace (
            case retriever when 'q_c' then 'Q+C' when 'q' then 'Q' when 'c' then 'C' else retriever end as level
        ),
    from settings

)

select * from levels
order by
    task_set,
    encoder,
    pipeline,
    model,
    uses_questions desc,
    list_position(['Q+C', 'Q', 'C', 'none', 'gold'], level),
    is_best desc,
    history_setting,
    prediction_set
