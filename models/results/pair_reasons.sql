with

verdicts as (

    select * from {{ ref('pair_verdicts') }}

),

type_matches as (

    select * from {{ ref('pair_type_matches') }}

),

reasons as (

    -- The first that holds, from the most telling to the least.
    select
        verdicts.pair_id,
        case
            when verdicts.ex and verdicts.are_both_empty then 'match_empty'
            when verdicts.ex and not verdicts.ex_multiset then 'match_other_tied_rows'
            when verdicts.ex then 'match'
            when verdicts.ex is null and verdicts.is_unkept then 'rows_not_kept'
            when verdicts.ex is null then 'cut'
            when verdicts.ex_multiset then 'order'
            when verdicts.n_predicted_rows = 0 then 'empty_result'
            when verdicts.n_gold_columns = verdicts.n_predicted_columns and verdicts.ex_permuted then 'permuted'
            when verdicts.ex_projection then 'extra_columns'
            when verdicts.is_unkept
                and not coalesce(verdicts.ex_set, false)
                and (verdicts.ex_permuted is null or verdicts.ex_projection is null or verdicts.ex_tolerant is null)
                then 'rows_not_kept'
            when verdicts.n_gold_columns <> verdicts.n_predicted_columns then 'column_count'
            when verdicts.ex_tolerant then 'near_in_value'
            when verdicts.ex_set then 'duplicate_count'
            when type_matches.is_type_only then 'type'
            when verdicts.is_undecided then 'undecided'
            when verdicts.n_common_rows is null then 'row_count'
            when verdicts.n_common_rows = verdicts.n_gold_rows then 'extra_rows'
            when verdicts.n_common_rows = verdicts.n_predicted_rows then 'missing_rows'
            else 'missing_and_extra_rows'
        end as reason,
    from verdicts
    left join type_matches on verdicts.pair_id = type_matches.pair_id

)

select * from reasons
