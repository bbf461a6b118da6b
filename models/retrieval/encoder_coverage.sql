with

rankers as (

    select * from {{ ref('rankers') }}
    where kind = 'dense'

),

encoders as (

    select * from {{ ref('stg_encoders') }}

),

texts as (

    select * from {{ ref('embedding_texts') }}

),

documents as (

    select * from {{ ref('table_documents') }}

),

embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

pools as (

    select
        benchmark,
        reads,
        count(*) as n_tables,
    from documents
    group by benchmark, reads

),

asked as (

    select
        rankers.ranker,
        rankers.reads,
        encoders.benchmark,
        encoders.encoder,
        encoders.revision,
        encoders.asked_at,
        pools.n_tables,
    from rankers
    inner join encoders on rankers.encoder = encoders.encoder
    inner join pools
        on encoders.benchmark = pools.benchmark
        and rankers.reads = pools.reads

),

counted as (

    select
        asked.ranker,
        asked.reads,
        asked.benchmark,
        asked.encoder,
        asked.revision,
        asked.asked_at,
        asked.n_tables,
        count(*) filter (where texts.kind = 'table' and embeddings.embedding_id is not null) as n_embedded_tables,
        count(*) filter (where texts.kind = 'question') as n_questions,
        count(*) filter (where texts.kind = 'question' and embeddings.embedding_id is not null) as n_embedded_questions,
    from asked
    left join texts
        on asked.benchmark = texts.benchmark
        and (texts.kind = 'question' or asked.reads = texts.reads)
    left join embeddings
        on asked.encoder = embeddings.encoder
        and asked.revision = embeddings.revision
        and texts.text_id = embeddings.text_id
    group by
        asked.ranker,
        asked.reads,
        asked.benchmark,
        asked.encoder,
        asked.revision,
        asked.asked_at,
        asked.n_tables

),

compared as (

    select
        *,
        -- A ranking of a part of the pool would be none: a revision ranks once it has embedded every table, and a newer
        -- one takes over once it has the questions too.
        n_embedded_tables = n_tables as is_complete,
        n_embedded_tables = n_tables and row_number() over (
            partition by ranker, benchmark
            order by
                n_embedded_tables = n_tables desc,
                n_embedded_questions = n_questions desc,
                asked_at desc,
                revision asc
        ) = 1 as is_ranking,
    from counted

)

select * from compared
