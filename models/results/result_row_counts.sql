with

row_keys as (

    select * from {{ ref('result_row_keys') }}

),

counted as (

    select
        result_id,
        row_key,
        count(*) as n_copies,
    from row_keys
    group by result_id, row_key

)

select * from counted
