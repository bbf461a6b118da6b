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

    select distinct
        outline_id,
        outline,
    from {{ ref('schema_outlines') }}

),

unread as (

    select * from inputs
    {{ where_unread('inputs', 'reading_id') }}

),

components as (

    select
        unread.reading_id,
        unread.sql_id,
        unread.outline_id,
        sql_components(unread.sql, unread.dialect, coalesce(outlines.outline, '[]')) as reading,
        n_tokens(unread.sql, 'o200k_base') as n_tokens,
    from unread
    left join outlines on unread.outline_id = outlines.outline_id

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
