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

    -- The paper's retriever is q_c; masked texts are what others compare besides.
    select
        task_set,
        text_id,
        bool_and(starts_with(kind, 'masked')) as is_masked,
    from {{ ref('history_texts') }}
    where kind not in ('task_question', 'masked_task_question', 'keyword')
    group by task_set, text_id

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

phrases as (

    select * from {{ ref('component_phrases') }}

),

n_scripts as (

    select
        history,
        count(*) as n_queries,
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

    select
        encoders.task_set,
        encoders.history,
        embeddings.attempt_id,
        embeddings.n_bytes,
        if(texts.is_masked, '_masked', '') as step_suffix,
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
        concat('embed', embedded.step_suffix) as step,
        any_value(n_scripts.n_queries) as n_measured,
        sum(attempts.elapsed_ms / attempts.n_texts) / any_value(n_scripts.n_queries) as value,
    from embedded
    inner join attempts on embedded.attempt_id = attempts.attempt_id
    inner join n_scripts on embedded.history = n_scripts.history
    group by embedded.task_set, embedded.step_suffix

),

vector_bytes as (

    select
        task_set,
        sum(n_bytes) filter (where step_suffix = '') as n_bytes,
        sum(n_bytes) filter (where step_suffix = '_masked') as n_masked_bytes,
    from embedded
    group by task_set

),

stored_texts as (

    -- What says the same is one text, whatever it is of.
    select history, sql as text from scripts
    union
    select history, question as text from scripts
    union
    select history, sql_substring as text from components
    union
    select history, phrase as text from phrases
    union
    select history, unnest([skeleton, published_skeleton]) as text from items
    union
    select history, unnest([name, description] || aliases) as text from described_scripts
    union
    select history, unnest([name, description] || aliases) as text from described_items
    union
    select history, unnest([name, description] || aliases) as text from described_components

),

text_bytes as (

    select
        history,
        sum(strlen(text)) as n_bytes,
    from stored_texts
    group by history

),

stored as (

    select
        studied.task_set,
        unnest(['store', 'store_masked']) as step,
        n_scripts.n_queries as n_measured,
        unnest([
            text_bytes.n_bytes + coalesce(vector_bytes.n_bytes, 0),
            vector_bytes.n_masked_bytes,
        ]) / n_scripts.n_queries / 1000 as value,
    from studied
    inner join n_scripts on studied.history = n_scripts.history
    inner join text_bytes on studied.history = text_bytes.history
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
        if(measured.value is null, null, measured.n_measured) as n_measured,
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
