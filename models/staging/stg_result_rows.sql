with

landed as (

    select * from {{ source('landing', 'result_rows') }}

),

once as (

    -- A result that landed twice is the same rows twice: its content is its key.
    select
        result_id,
        row_number,
        any_value(cells) as cells
    from landed
    group by result_id, row_number

)

select * from once
