with

encoders as (

    select * from {{ ref('stg_encoders') }}

),

rankers as (

    select * from {{ ref('rankers') }}

),

texts as (

    select * from {{ ref('embedding_texts') }}

),

histories as (

    select * from {{ ref('history_benchmarks') }}

),

embeddings as (

    select * from {{ ref('stg_embeddings') }}

),

attempts as (

    select * from {{ ref('stg_embedding_attempts') }}

),

failures as (

    select
        attempt_id,
        is_counted,
        is_permanent,
        attempted_at,
        unnest(embedding_ids) as embedding_id,
    from attempts
    where outcome = 'failed'

),

tried as (

    select
        embedding_id,
        count(*) filter (where is_counted) as n_failures,
        arg_max(is_permanent, (attempted_at, attempt_id)) as is_permanently_failed,
    from failures
    group by embedding_id

),

wanted as (

    -- Questions and names for every encoder; of what more is read, the tables of rankers that read it with this one;
    -- what a history study compares for its own encoder.
    select
        encoders.encoder,
        encoders.revision,
        encoders.benchmark,
        texts.text_id,
        texts.text,
        md5(concat_ws(chr(31), encoders.encoder, encoders.revision, texts.text)) as embedding_id,
        bool_and(texts.kind = 'history') as is_history,
    from encoders
    inner join texts on encoders.benchmark = texts.benchmark
    left join rankers
        on encoders.encoder = rankers.encoder
        and texts.reads = rankers.reads
    left join histories
        on encoders.encoder = histories.encoder
        and encoders.benchmark = histories.benchmark
    where
        texts.kind = 'question'
        or texts.reads = 'names'
        or rankers.ranker is not null
        or (texts.kind = 'history' and histories.benchmark is not null)
    group by encoders.encoder, encoders.revision, encoders.benchmark, texts.text_id, texts.text

),

pending as (

    select
        wanted.embedding_id,
        wanted.text_id,
        wanted.encoder,
        wanted.revision,
        wanted.benchmark,
        wanted.text,
        wanted.is_history,
        coalesce(tried.n_failures, 0) as n_failures,
        coalesce(tried.is_permanently_failed, false) as is_permanently_failed,
    from wanted
    anti join embeddings on wanted.embedding_id = embeddings.embedding_id
    left join tried on wanted.embedding_id = tried.embedding_id

)

select * from pending
order by encoder, revision, benchmark, length(text), embedding_id
