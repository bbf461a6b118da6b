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

    select * from {{ ref('schema_outlines') }}

),

unread as (

    {{ unread_in_outlines('inputs', 'reading_id', 'outlines') }}

),

shaped as (

    select
        reading_id,
        sql_id,
        outline_id,
        sql_task_shape(sql, dialect, outline) as shape,
        sql_components(sql, dialect, outline).components as components,
    from unread

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
