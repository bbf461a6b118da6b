with

coverage as (

    select * from {{ ref('encoder_coverage') }}
    where is_ranking

),

texts as (

    select * from {{ ref('embedding_texts') }}

),

embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

vectors as (

    select
        coverage.ranker,
        texts.benchmark,
        texts.kind,
        texts.question_id,
        texts.db_id,
        texts.table_key,
        embeddings.n_dimensions,
        -- In double precision the last digits of a cosine do not hang on how it is summed.
        embeddings.vector::double[] as vector,
    from coverage
    inner join texts
        on coverage.benchmark = texts.benchmark
        and (texts.kind = 'question' or coverage.reads = texts.reads)
    inner join embeddings
        on coverage.encoder = embeddings.encoder
        and coverage.revision = embeddings.revision
        and texts.text_id = embeddings.text_id

),

cosines as (

    select
        questions.ranker,
        questions.benchmark,
        questions.question_id,
        tables.db_id,
        tables.table_key,
        list_cosine_similarity(questions.vector, tables.vector) as cosine,
    from vectors as questions
    inner join vectors as tables
        on questions.ranker = tables.ranker
        and questions.benchmark = tables.benchmark
        and questions.n_dimensions = tables.n_dimensions
    where questions.kind = 'question' and tables.kind = 'table'

),

scores as (

    select
        ranker,
        benchmark,
        question_id,
        db_id,
        table_key,
        -- A vector of zeros is like no other.
        if(isnan(cosine), 0, round(cosine, 6)) as score,
    from cosines

)

select * from scores
