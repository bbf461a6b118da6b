with

rankers as (

    select * from {{ ref('rankers') }}
    where kind = 'lexical'

),

documents as (

    select * from {{ ref('table_documents') }}

),

terms as (

    select * from {{ ref('table_terms') }}

),

lengths as (

    select
        benchmark,
        db_id,
        table_key,
        reads,
        sum(n_occurrences)::bigint as n_terms,
    from terms
    group by benchmark, db_id, table_key, reads

),

pools as (

    -- Also tables whose names give no term are part of the pool.
    select
        documents.benchmark,
        documents.reads,
        count(*) as n_tables,
        coalesce(sum(lengths.n_terms), 0) / count(*) as mean_n_terms,
    from documents
    left join lengths
        on documents.benchmark = lengths.benchmark
        and documents.db_id = lengths.db_id
        and documents.table_key = lengths.table_key
        and documents.reads = lengths.reads
    group by documents.benchmark, documents.reads

),

frequencies as (

    select
        benchmark,
        reads,
        term,
        count(*) as n_tables_with_term,
    from terms
    group by benchmark, reads, term

),

weighed as (

    select
        rankers.ranker,
        terms.benchmark,
        terms.db_id,
        terms.table_key,
        terms.term,
        ln(
            1 + (pools.n_tables - frequencies.n_tables_with_term + 0.5::double)
            / (frequencies.n_tables_with_term + 0.5::double)
        ) as rarity,
        terms.n_occurrences / (
            terms.n_occurrences + rankers.k1 * (1 - rankers.b + rankers.b * lengths.n_terms / pools.mean_n_terms)
        ) as saturation,
    from terms
    inner join rankers on terms.reads = rankers.reads
    inner join lengths
        on terms.benchmark = lengths.benchmark
        and terms.db_id = lengths.db_id
        and terms.table_key = lengths.table_key
        and terms.reads = lengths.reads
    inner join pools
        on terms.benchmark = pools.benchmark
        and terms.reads = pools.reads
    inner join frequencies
        on terms.benchmark = frequencies.benchmark
        and terms.reads = frequencies.reads
        and terms.term = frequencies.term

),

impacts as (

    select
        ranker,
        benchmark,
        db_id,
        table_key,
        term,
        -- Decimal numbers, whose sums are the same in whatever order they are made.
        (rarity * saturation)::decimal(18, 9) as impact,
    from weighed

)

select * from impacts
