with

landed as (

    select * from {{ source('landing', 'results') }}

),

once as (

    select
        result_id,
        n_rows,
        n_columns,
        n_stored_rows,
        is_cut,
        cut_multiset_signature,
        cut_set_signature,
    from landed
    qualify row_number() over (partition by result_id order by landed_at desc) = 1

)

select * from once
