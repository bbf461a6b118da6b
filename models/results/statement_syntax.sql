{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    on_schema_change='append_new_columns',
    unique_key='sql_id',
    post_hook="delete from {{ this }} where sql_id not in (select texts.sql_id from {{ ref('sql_texts') }} as texts)",
) }}

with

texts as (

    select * from {{ ref('sql_texts') }}

),

unread as (

    select * from texts
    {{ where_unread('texts', 'sql_id') }}

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
