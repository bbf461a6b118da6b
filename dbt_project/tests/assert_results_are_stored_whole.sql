-- Every row that a result claims to have stored has landed, and only a cut result, or one that was not to be kept,
-- claims fewer rows than it has.
with

stored as (

    select
        result_id,
        count(*) as n_rows,
    from {{ ref('result_row_keys') }}
    group by result_id

)

select
    results.result_id,
    results.n_rows,
    results.n_stored_rows,
    coalesce(stored.n_rows, 0) as n_landed_rows,
from {{ ref('results') }} as results
left join stored on results.result_id = stored.result_id
where
    results.n_stored_rows <> coalesce(stored.n_rows, 0)
    or (not results.is_cut and results.is_kept and results.n_rows <> results.n_stored_rows)
