{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='sql_id',
    post_hook="delete from {{ this }} where sql_id not in (select texts.sql_id from {{ ref('namespaced_texts') }} as texts)",
) }}

with

texts as (

    select distinct
        sql_id,
        dialect,
        sql,
    from {{ ref('namespaced_texts') }}

),

unread as (

    select * from texts
    {{ where_unread('texts', 'sql_id') }}

),

located as (

    select
        sql_id,
        sql_table_places(sql, dialect) as found,
    from unread

),

places as (

    select
        sql_id,
        found.outcome as parse_outcome,
        found.error as parse_error,
        found.names,
        found.places,
        sql_analysis_version() as analysis_version,
    from located

)

select * from places
