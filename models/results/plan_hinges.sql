with

comparisons as (

    select * from {{ ref('comparisons') }}
    where
        gold_outcome = 'answered'
        and predicted_outcome = 'answered'
        -- What the untouched file said already stands.
        and 'prepared' in (gold_variant, predicted_variant)

),

pairs as (

    select * from {{ ref('result_pairs') }}

),

near_rows as (

    select * from {{ ref('near_rows') }}

),

near_pairs as (

    -- Some row of one result could be a row of the other, were its last digits different.
    select distinct
        comparisons.gold_result_id,
        comparisons.predicted_result_id,
    from (select distinct gold_result_id, predicted_result_id from comparisons) as comparisons
    inner join near_rows as gold on comparisons.gold_result_id = gold.result_id
    inner join near_rows as predicted
        on comparisons.predicted_result_id = predicted.result_id
        and (gold.near_key = predicted.near_key or gold.other_near_key = predicted.other_near_key)

),

unfinished as (

    -- The copy gave no answer in time or memory: its plan may be to blame.
    select statement_id
    from {{ ref('statement_outcomes') }}
    where
        variant = 'prepared'
        and (outcome in ('timed_out', 'crashed') or error_class = 'resource')

),

judged as (

    select
        comparisons.*,
        pairs.n_gold_rows,
        pairs.n_predicted_rows,
        pairs.n_gold_columns = pairs.n_predicted_columns as has_same_width,
        pairs.n_gold_columns < pairs.n_predicted_columns and pairs.n_gold_rows = pairs.n_predicted_rows as can_be_projected,
        pairs.is_multiset_match,
        pairs.n_gold_rows > 1 and comparisons.order_rule <> 'none' as is_order_compared,
        -- Of rows that were not kept nobody can say that they are not near.
        near_pairs.gold_result_id is not null or coalesce(pairs.is_unkept, false) as is_near,
        comparisons.is_gold_row_sensitive or comparisons.is_predicted_row_sensitive as is_sensitive,
        (comparisons.is_gold_row_sensitive and not comparisons.is_gold_float_sensitive)
            or (comparisons.is_predicted_row_sensitive and not comparisons.is_predicted_float_sensitive)
            as is_widely_sensitive,
    from comparisons
    inner join pairs
        on comparisons.order_id = pairs.order_id
        and comparisons.gold_result_id = pairs.gold_result_id
        and comparisons.predicted_result_id = pairs.predicted_result_id
    left join near_pairs
        on comparisons.gold_result_id = near_pairs.gold_result_id
        and comparisons.predicted_result_id = near_pairs.predicted_result_id

),

hinging as (

    select
        *,
        case
            when is_order_compared and (is_multiset_match or (is_sensitive and is_near)) then 'order'
            when not is_sensitive then null
            when is_widely_sensitive and (has_same_width or can_be_projected) then 'rows'
            when has_same_width and is_near then 'last_digits'
            when can_be_projected then 'last_digits'
        end as hinges_on,
    from judged

),

hinged_statements as (

    select
        gold_statement_id as statement_id,
        hinges_on,
    from hinging
    where
        hinges_on is not null
        and gold_variant = 'prepared'
        and (is_gold_row_sensitive or hinges_on = 'order')

    union all

    select
        predicted_statement_id as statement_id,
        hinges_on,
    from hinging
    where
        hinges_on is not null
        and predicted_variant = 'prepared'
        and (is_predicted_row_sensitive or hinges_on = 'order')

    union all

    select
        statement_id,
        'outcome' as hinges_on,
    from unfinished

),

hinges as (

    select
        statement_id,
        list_sort(list(distinct hinges_on)) as hinges_on,
    from hinged_statements
    group by statement_id

)

select * from hinges
