with

documents as (

    select * from {{ ref('table_documents') }}

),

terms as (

    select
        benchmark,
        db_id,
        table_key,
        reads,
        unnest({{ name_terms('document') }}) as term,
    from documents

),

counted as (

    select
        benchmark,
        db_id,
        table_key,
        reads,
        term,
        count(*) as n_occurrences,
    from terms
    group by benchmark, db_id, table_key, reads, term

)

select * from counted
