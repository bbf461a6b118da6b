with

budgets as (

    select * from {{ ref('budgets') }}

),

lines as (

    select * from {{ ref('table_lines') }}
    where representation = 'enriched' and naming = 'prefixed'

),

catalogs as (

    select
        benchmark,
        sum(n_tokens)::bigint as n_catalog_tokens,
        max(encoding) as encoding,
    from lines
    group by benchmark

),

caps as (

    select
        catalogs.benchmark,
        budgets.budget,
        budgets.share,
        catalogs.n_catalog_tokens,
        floor(budgets.share::decimal(12, 9) * catalogs.n_catalog_tokens)::integer as cap_tokens,
        catalogs.encoding,
        tokens_counted_with(catalogs.encoding) as counted_with,
    from catalogs
    cross join budgets

)

select * from caps
