with

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

keyed as (

    -- Rows are equal when their canonical cells are; the key is the md5 of those cells as JSON.
    select
        result_id,
        row_number,
        md5(to_json(cells)) as row_key,
    from result_rows

)

select * from keyed
