{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='reading_id',
    post_hook="delete from {{ this }} where reading_id not in (select inputs.reading_id from {{ ref('component_inputs') }} as inputs)",
) }}

with

inputs as (

    select * from {{ ref('component_inputs') }}

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

unread as (

    {{ unread_in_outlines('inputs', 'reading_id', 'outlines') }}

),

components as (

    select
        reading_id,
        sql_id,
        outline_id,
        sql_components(sql, dialect, outline) as reading,
        n_tokens(sql, 'o200k_base') as n_tokens,
    from unread

),

unnested as (

    select
        reading_id,
        sql_id,
        outline_id,
        unnest(reading),
        n_tokens,
        sql_analysis_version() as analysis_version,
    from components

)

select * from unnested
