{{ config(materialized='view') }}

with

encoders as (

    select * from {{ ref('history_encoders') }}
    where encoder <> 'lexical'

),

texts as (

    select * from {{ ref('history_texts') }}

),

embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

wanted as (

    select distinct
        texts.task_set,
        texts.text_id,
    from texts
    semi join encoders on texts.task_set = encoders.task_set

),

vectors as (

    select
        wanted.task_set,
        wanted.text_id,
        encoders.encoder,
        -- In double precision the last digits of a cosine do not hang on how it is summed.
        embeddings.vector::double[] as vector,
        sqrt(list_inner_product(embeddings.vector::double[], embeddings.vector::double[])) as length,
    from wanted
    inner join encoders on wanted.task_set = encoders.task_set
    inner join embeddings
        on encoders.encoder = embeddings.encoder
        and encoders.revision = embeddings.revision
        and wanted.text_id = embeddings.text_id

),

units as (

    select
        task_set,
        text_id,
        encoder,
        list_transform(vector, lambda number: number / length) as vector,
    from vectors

)

select * from units
