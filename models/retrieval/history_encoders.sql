with

studied as (

    select * from {{ ref('history_benchmarks') }}

),

texts as (

    select * from {{ ref('history_texts') }}

),

encoders as (

    select * from {{ ref('stg_encoders') }}

),

embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

distinct_texts as (

    select distinct
        task_set,
        benchmark,
        encoder,
        text_id,
    from texts

),

embedded as (

    select
        distinct_texts.task_set,
        encoders.encoder,
        encoders.revision,
        encoders.asked_at,
        count(*) as n_texts,
        count(embeddings.embedding_id) as n_embedded_texts,
    from distinct_texts
    inner join encoders
        on distinct_texts.benchmark = encoders.benchmark
        and distinct_texts.encoder = encoders.encoder
    left join embeddings
        on encoders.encoder = embeddings.encoder
        and encoders.revision = embeddings.revision
        and distinct_texts.text_id = embeddings.text_id
    group by distinct_texts.task_set, encoders.encoder, encoders.revision, encoders.asked_at

),

best as (

    select * from embedded
    qualify row_number() over (
        partition by task_set
        order by n_embedded_texts = n_texts desc, asked_at desc, revision asc
    ) = 1

),

counts as (

    select
        task_set,
        count(*) as n_texts,
    from distinct_texts
    group by task_set

),

chosen as (

    -- Similarities by a part of the vectors would be none: words are compared until all are there.
    select
        studied.task_set,
        studied.benchmark,
        studied.history,
        studied.encoder as asked_encoder,
        if(best.n_embedded_texts = best.n_texts, best.encoder, 'lexical') as encoder,
        if(best.n_embedded_texts = best.n_texts, best.revision, null) as revision,
        coalesce(counts.n_texts, 0) as n_texts,
        coalesce(best.n_embedded_texts, 0) as n_embedded_texts,
    from studied
    left join best on studied.task_set = best.task_set
    left join counts on studied.task_set = counts.task_set

)

select * from chosen
