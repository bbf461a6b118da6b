with

lines as (

    select * from {{ ref('table_lines') }}

),

texts as (

    select
        benchmark,
        db_id,
        table_key,
        representation,
        naming,
        string_agg(line, chr(10) order by line_number) as text,
        sum(n_tokens)::integer as n_tokens,
    from lines
    group by benchmark, db_id, table_key, representation, naming

)

select * from texts
