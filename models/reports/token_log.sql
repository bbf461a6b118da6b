{{ config(materialized='table') }}

with

cell_sets as (

    select * from {{ ref('cell_sets') }}
    where not is_derived

),

requests as (

    select * from {{ ref('requests') }}

),

packings as (

    select * from {{ ref('packings') }}

),

costs as (

    select * from {{ ref('run_costs') }}

),

asked as (

    select
        cell_sets.benchmark,
        cell_sets.prediction_set,
        requests.request_id,
        requests.n_context_tokens,
        packings.n_tokens as n_packed_tokens,
        -- What is sent beside the schema, which stands in it by its key.
        replace(requests.messages, requests.context_id, '') as messages_without_schema,
    from cell_sets
    inner join requests
        on cell_sets.run_id = requests.run_id
        and cell_sets.is_planned = requests.is_planned
    left join packings
        on requests.benchmark = packings.benchmark
        and requests.question_id = packings.question_id
        and cell_sets.ranker = packings.ranker
        and cell_sets.representation = packings.representation
        and cell_sets.budget = packings.budget
        and cell_sets.condition = packings.condition

),

rests as (

    select distinct messages_without_schema from asked
    where messages_without_schema is not null

),

contents as (

    -- The messages' own texts: the quotes and escapes of JSON are nothing that the model is sent.
    select
        messages_without_schema,
        unnest(from_json(messages_without_schema, '[{"role": "VARCHAR", "content": "VARCHAR"}]')).content as content,
    from rests

),

counted_contents as (

    select
        content,
        n_tokens(content, {{ token_encoding() }}) as n_tokens,
    from (select distinct content from contents)

),

counted_rests as (

    select
        contents.messages_without_schema,
        sum(counted_contents.n_tokens) as n_rest_tokens,
    from contents
    inner join counted_contents on contents.content = counted_contents.content
    group by contents.messages_without_schema

),

distinct_requests as (

    -- Equal questions of one set are one request.
    select
        asked.benchmark,
        asked.prediction_set,
        asked.request_id,
        count(*) as n_requests,
        max(asked.n_packed_tokens) as n_packed_tokens,
        max(asked.n_context_tokens) as n_context_tokens,
        max(asked.n_context_tokens + counted_rests.n_rest_tokens) as n_counted_prompt_tokens,
    from asked
    left join counted_rests on asked.messages_without_schema = counted_rests.messages_without_schema
    group by asked.benchmark, asked.prediction_set, asked.request_id

),

sharing as (

    select
        request_id,
        count(*) as n_sets,
    from distinct_requests
    group by request_id

),

summed as (

    select
        distinct_requests.benchmark,
        distinct_requests.prediction_set,
        sum(distinct_requests.n_requests)::bigint as n_requests,
        count(*) as n_distinct_requests,
        count(*) filter (where sharing.n_sets > 1) as n_shared_requests,
        sum(distinct_requests.n_packed_tokens)::bigint as n_packed_tokens,
        sum(distinct_requests.n_context_tokens)::bigint as n_context_tokens,
        sum(distinct_requests.n_counted_prompt_tokens)::bigint as n_counted_prompt_tokens,
    from distinct_requests
    inner join sharing on distinct_requests.request_id = sharing.request_id
    group by distinct_requests.benchmark, distinct_requests.prediction_set

),

logged as (

    select
        cell_sets.benchmark,
        cell_sets.prediction_set,
        cell_sets.model,
        cell_sets.setting,
        cell_sets.is_planned,
        coalesce(summed.n_requests, 0) as n_requests,
        coalesce(summed.n_distinct_requests, 0) as n_distinct_requests,
        coalesce(summed.n_shared_requests, 0) as n_shared_requests,
        coalesce(costs.n_answered_requests, 0) as n_answered_requests,
        summed.n_packed_tokens,
        summed.n_context_tokens,
        summed.n_counted_prompt_tokens,
        costs.n_prompt_tokens as n_reported_prompt_tokens,
        costs.n_completion_tokens,
        costs.n_reasoning_tokens,
        costs.cost_usd,
        tokens_counted_with({{ token_encoding() }}) as counted_with,
    from cell_sets
    left join summed
        on cell_sets.benchmark = summed.benchmark
        and cell_sets.prediction_set = summed.prediction_set
    left join costs
        on cell_sets.benchmark = costs.benchmark
        and cell_sets.prediction_set = costs.prediction_set

)

select * from logged
order by benchmark, prediction_set
