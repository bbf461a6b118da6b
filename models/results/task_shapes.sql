{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='reading_id',
    post_hook="delete from {{ this }} where reading_id not in (select inputs.reading_id from {{ ref('task_shape_inputs') }} as inputs)",
) }}

with

inputs as (

    select * from {{ ref('task_shape_inputs') }}

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

shaped as (

    select
        unread.reading_id,
        unread.sql_id,
        unread.outline_id,
        sql_task_shape(unread.sql, unread.dialect, coalesce(outlines.outline, '[]')) as shape,
        sql_components(unread.sql, unread.dialect, coalesce(outlines.outline, '[]')).components as components,
    from unread
    left join outlines on unread.outline_id = outlines.outline_id

),

unnested as (

    select
        reading_id,
        sql_id,
        outline_id,
        unnest(shape),
        list_transform(
            components,
            lambda component: {{ item_id('component.knowledge_type', 'component.skeleton') }}
        ) as item_ids,
        components,
        sql_analysis_version() as analysis_version,
    from shaped

)

select * from unnested
