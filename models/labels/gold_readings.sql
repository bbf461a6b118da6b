{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='reading_id',
    post_hook="delete from {{ this }} where reading_id not in (select inputs.reading_id from {{ ref('label_inputs') }} as inputs)",
) }}

with

inputs as (

    select * from {{ ref('label_inputs') }}

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

labelled as (

    select
        unread.reading_id,
        unread.sql_id,
        unread.outline_id,
        sql_labels(unread.sql, unread.dialect, outlines.outline) as labels,
    from unread
    inner join outlines on unread.outline_id = outlines.outline_id

),

unnested as (

    select
        reading_id,
        sql_id,
        outline_id,
        unnest(labels),
        sql_analysis_version() as analysis_version,
    from labelled

)

select * from unnested
