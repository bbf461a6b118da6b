with

rankers as (

    select * from {{ ref('rankers') }}

),

representations as (

    select * from {{ ref('representations') }}

),

budgets as (

    select * from {{ ref('budgets') }}

),

conditions as (

    select * from {{ ref('conditions') }}

),

namings as (

    select
        unnest(['prefixed', 'bare']) as naming,
        unnest(['', '-bare']) as suffix,

),

crossed as (

    select
        rankers.ranker || '-' || representations.representation || '-' || budgets.budget || '-' || conditions.condition
        || namings.suffix as setting,
        rankers.ranker,
        representations.representation,
        budgets.budget,
        conditions.condition,
        namings.naming,
        rankers.is_paper and namings.naming = 'prefixed' as is_swept,
        rankers.is_paper and conditions.is_paper as is_paper,
    from rankers
    cross join representations
    cross join budgets
    cross join conditions
    cross join namings

)

select * from crossed
