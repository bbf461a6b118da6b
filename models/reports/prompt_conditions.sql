with

grid as (

    select * from {{ ref('model_grid') }}
    where prompt_setting is not null

),

predictions as (

    select * from {{ ref('execution_match') }}
    where is_judged

),

questions as (

    select * from {{ ref('questions') }}
    where tier is not null

),

executed as (

    -- What of each condition's questions survives until execution (ESQ-Bench §6.7).
    select
        predictions.benchmark,
        predictions.prediction_set,
        coalesce(questions.tier::varchar, 'all') as tier,
        count(*) filter (where predictions.is_executed) as n_executed,
        count(*) filter (where predictions.is_executed and questions.difficulty = 'easy') as n_easy_executed,
        count(*) filter (where questions.difficulty = 'easy') as n_easy,
        count(*) as n_questions,
    from predictions
    inner join questions
        on predictions.benchmark = questions.benchmark
        and predictions.question_id = questions.question_id
    group by grouping sets (
        (predictions.benchmark, predictions.prediction_set),
        (predictions.benchmark, predictions.prediction_set, questions.tier)
    )

),

conditions as (

    select
        grid.benchmark,
        grid.model,
        grid.tier,
        grid.prompt_setting,
        grid.prediction_set,
        grid.n_questions,
        grid.n_executed,
        grid.execution_rate,
        grid.ex_executed,
        grid.ex_all,
        executed.n_easy_executed / nullif(executed.n_executed, 0) as easy_share_executed,
        executed.n_easy / nullif(executed.n_questions, 0) as easy_share,
    from grid
    left join executed
        on grid.benchmark = executed.benchmark
        and grid.prediction_set = executed.prediction_set
        and grid.tier = executed.tier

)

select
    conditions.*,
    conditions.execution_rate - others.execution_rate as execution_gap,
    conditions.ex_executed - others.ex_executed as ex_executed_gap,
    conditions.ex_all - others.ex_all as ex_all_gap,
    -- Over executed queries the condition looks better and over all it is worse, or the other way round.
    coalesce(sign(ex_executed_gap) * sign(ex_all_gap) < 0, false) as is_inverted,
from conditions
left join conditions as others
    on conditions.benchmark = others.benchmark
    and conditions.model = others.model
    and conditions.tier = others.tier
    and conditions.prompt_setting = 'schema_linked'
    and others.prompt_setting = 'zero_shot'
order by conditions.benchmark, conditions.model, conditions.tier, conditions.prompt_setting, conditions.prediction_set
