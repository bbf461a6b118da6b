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
        coalesce(is_kept, true) as is_kept,
    from landed
    -- A result that was once stored whole is, whatever a later command left out of it.
    qualify row_number() over (partition by result_id order by n_stored_rows desc, landed_at desc) = 1

)

select * from once
