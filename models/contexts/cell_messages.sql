{{ config(materialized='view') }}

with

prompts as (

    select * from {{ ref('prompts') }}
    where context_id is not null

),

contexts as (

    select * from {{ ref('cell_contexts') }}

),

pieces as (

    select * from {{ ref('context_pieces') }}

),

places as (

    select
        benchmark,
        question_id,
        setting,
        unnest(piece_numbers) as piece_number,
        generate_subscripts(piece_numbers, 1) as place,
    from contexts

),

shown as (

    -- A blank line follows every table.
    select
        places.benchmark,
        places.question_id,
        places.setting,
        string_agg(pieces.text, chr(10) || chr(10) order by places.place) as schema_text,
    from places
    inner join pieces on places.piece_number = pieces.piece_number
    group by places.benchmark, places.question_id, places.setting

),

written as (

    select
        prompts.benchmark,
        prompts.question_id,
        prompts.setting,
        prompts.dialect,
        prompts.context_id,
        coalesce(shown.schema_text, '') as schema_text,
        -- Within a text of JSON, as JSON writes it.
        replace(prompts.messages, prompts.context_id, (to_json(coalesce(shown.schema_text, ''))::varchar)[2:-2])
            as messages,
    from prompts
    left join shown
        on prompts.benchmark = shown.benchmark
        and prompts.question_id = shown.question_id
        and prompts.setting = shown.setting

)

select * from written
