{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='key_reading_id',
    post_hook="delete from {{ this }} where key_reading_id not in (select keys.key_reading_id from {{ ref('published_keys') }} as keys)",
) }}

with

keys as (

    select distinct
        key_reading_id,
        knowledge_key,
        dialect,
        outline_id,
    from {{ ref('published_keys') }}

),

outlines as (

    select * from {{ ref('schema_outlines') }}

),

unread as (

    {{ unread_in_outlines('keys', 'key_reading_id', 'outlines') }}

),

normalised as (

    select
        key_reading_id,
        knowledge_key(knowledge_key, dialect, outline) as reading,
    from unread

),

unnested as (

    select
        key_reading_id,
        reading.outcome as key_outcome,
        reading.knowledge_type,
        reading.skeleton,
        reading.error,
        sql_analysis_version() as analysis_version,
    from normalised

)

select * from unnested
