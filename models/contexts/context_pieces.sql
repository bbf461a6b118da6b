with

texts as (

    select text, from {{ ref('table_texts') }}
    union
    select text, from {{ ref('removal_texts') }}

),

numbered as (

    select
        md5(text) as text_id,
        row_number() over (order by md5(text))::integer as piece_number,
        text,
    from texts

)

select * from numbered
