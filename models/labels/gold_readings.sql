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

    select * from {{ ref('schema_outlines') }}

),

unread as (

    {{ unread_in_outlines('inputs', 'reading_id', 'outlines') }}

),

labelled as (

    select
        reading_id,
        sql_id,
        outline_id,
        sql_labels(sql, dialect, outline) as labels,
    from unread

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
