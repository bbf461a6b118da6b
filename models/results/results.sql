with

landed as (

    -- Where there is no row to leave out, none was.
    select * replace (is_kept or n_stored_rows = n_rows as is_kept)
    from {{ ref('stg_results') }}

),

row_counts as (

    select * from {{ ref('result_row_counts') }}

),

signatures as (

    select
        result_id,
        md5(string_agg(row_key || ':' || n_copies || ',', '' order by row_key)) as multiset_signature,
        md5(string_agg(row_key || ':1,', '' order by row_key)) as set_signature,
        count(*) as n_distinct_rows,
    from row_counts
    group by result_id

),

signed as (

    -- The rows past the cap of a cut result, and of one that was not to be kept, are not here; the worker signed them
    -- as it saw them.
    select
        landed.result_id,
        landed.n_rows,
        landed.n_columns,
        landed.n_stored_rows,
        landed.is_cut,
        landed.is_kept,
        case
            when landed.is_cut or not landed.is_kept then landed.cut_multiset_signature
            else coalesce(signatures.multiset_signature, md5(''))
        end as multiset_signature,
        case
            when landed.is_cut or not landed.is_kept then landed.cut_set_signature
            else coalesce(signatures.set_signature, md5(''))
        end as set_signature,
    from landed
    left join signatures on landed.result_id = signatures.result_id

)

select * from signed
