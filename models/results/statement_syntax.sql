{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='sql_id',
    post_hook="delete from {{ this }} where sql_id not in (select texts.sql_id from {{ ref('sql_texts') }} as texts)",
) }}

with

texts as (

    select * from {{ ref('sql_texts') }}

),

unread as (

    select * from texts
    {% if is_incremental() %}
    -- What was read by another version of the reader is read again: versions never mix.
    where not exists (
        select 1 from {{ this }} as read_before
        where
            read_before.sql_id = texts.sql_id
            and read_before.analysis_version = sql_analysis_version()
    )
    {% endif %}

),

analysed as (

    select
        sql_id,
        dialect,
        sql,
        sql_analysis(sql, dialect) as analysis,
    from unread

),

unnested as (

    select
        sql_id,
        dialect,
        sql,
        unnest(analysis),
        sql_analysis_version() as analysis_version,
    from analysed

)

select * from unnested
