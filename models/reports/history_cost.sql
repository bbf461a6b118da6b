with

studied as (

    select * from {{ ref('history_benchmarks') }}

),

steps as (

    select * from {{ ref('history_steps') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

runs as (

    select * from {{ ref('history_runs') }}
    where is_in_use and purpose <> 'answer'

),

requests as (

    select * from {{ ref('stg_history_requests') }}
    where sample = 1

),

responses as (

    select * from {{ ref('stg_responses') }}
    where outcome in ('answered', 'truncated')

),

texts as (

    select * from {{ ref('history_texts') }}
    where kind not in ('task_question', 'masked_task_question', 'keyword')

),

encoders as (

    select * from {{ ref('history_encoders') }}
    where encoder <> 'lexical'

),

embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

attempts as (

    select * from {{ ref('stg_embedding_attempts') }}
    where outcome = 'answered'

),

components as (

    select * from {{ ref('script_components') }}

),

items as (

    select * from {{ ref('knowledge_items') }}

),

described_scripts as (

    select * from {{ ref('script_descriptions') }}

),

described_items as (

    select * from {{ ref('item_descriptions') }}

),

described_components as (

    select * from {{ ref('described_history') }}
    where item_id is not null

),

n_scripts as (

    select
        history,
        count(*) as n_queries,
        sum(strlen(sql)) as n_bytes,
    from scripts
    group by history

),

asked as (

    -- The model's own time, request by request.
    select
        runs.task_set,
        case runs.purpose when 'describe_history' then 'describe' else runs.purpose end as step,
        count(distinct concat_ws(' ', runs.run_id, requests.subject_id)) as n_measured,
        sum(responses.elapsed_ms) / n_measured as value,
    from runs
    inner join requests on runs.run_id = requests.run_id
    inner join responses on requests.request_id = responses.request_id
    group by runs.task_set, runs.purpose

),

embedded as (

    select distinct
        encoders.task_set,
        encoders.history,
        embeddings.embedding_id,
        embeddings.attempt_id,
        embeddings.n_dimensions,
    from encoders
    inner join texts on encoders.task_set = texts.task_set
    inner join embeddings
        on encoders.encoder = embeddings.encoder
        and encoders.revision = embeddings.revision
        and texts.text_id = embeddings.text_id

),

embedding_times as (

    -- A batch's time is shared by its texts.
    select
        embedded.task_set,
        'embed' as step,
        any_value(n_scripts.n_queries) as n_measured,
        sum(attempts.elapsed_ms / attempts.n_texts) / any_value(n_scripts.n_queries) as value,
    from embedded
    inner join attempts on embedded.attempt_id = attempts.attempt_id
    inner join n_scripts on embedded.history = n_scripts.history
    group by embedded.task_set

),

component_bytes as (

    select
        history,
        sum(strlen(sql_substring)) as n_bytes,
    from components
    group by history

),

item_bytes as (

    select
        history,
        sum(strlen(skeleton) + strlen(published_skeleton)) as n_bytes,
    from items
    group by history

),

description_bytes as (

    select
        history,
        sum(strlen(concat_ws(' ', name, array_to_string(aliases, ' '), description))) as n_bytes,
    from (
        select history, name, aliases, description from described_scripts
        union all
        select history, name, aliases, description from described_items
        union all
        select history, name, aliases, description from described_components
    )
    group by history

),

vector_bytes as (

    -- Four bytes a number.
    select
        task_set,
        sum(4 * n_dimensions) as n_bytes,
    from embedded
    group by task_set

),

stored as (

    select
        studied.task_set,
        'store' as step,
        n_scripts.n_queries as n_measured,
        (
            n_scripts.n_bytes
            + coalesce(component_bytes.n_bytes, 0)
            + coalesce(item_bytes.n_bytes, 0)
            + coalesce(description_bytes.n_bytes, 0)
            + coalesce(vector_bytes.n_bytes, 0)
        ) / n_scripts.n_queries / 1000 as value,
    from studied
    inner join n_scripts on studied.history = n_scripts.history
    left join component_bytes on studied.history = component_bytes.history
    left join item_bytes on studied.history = item_bytes.history
    left join description_bytes on studied.history = description_bytes.history
    left join vector_bytes on studied.task_set = vector_bytes.task_set

),

measured as (

    select * from asked
    union all
    select * from embedding_times
    union all
    select * from stored

),

costs as (

    select
        studied.task_set,
        steps.step,
        steps.is_online,
        steps.unit,
        measured.n_measured,
        round(measured.value, 6) as value,
        steps.paper_value,
        steps.meaning,
        steps.step_position,
    from studied
    cross join steps
    left join measured
        on studied.task_set = measured.task_set
        and steps.step = measured.step

)

select * exclude (step_position) from costs
order by task_set, step_position
