{{ config(materialized='view') }}

with

run_questions as (

    select * from {{ ref('run_questions') }}

),

cells as (

    select * from {{ ref('cells') }}

),

conditions as (

    select * from {{ ref('conditions') }}

),

packings as (

    select * from {{ ref('packings') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

table_texts as (

    select * from {{ ref('table_texts') }}

),

removal_texts as (

    select * from {{ ref('removal_texts') }}

),

requested as (

    select distinct
        run_questions.benchmark,
        run_questions.question_id,
        cells.setting,
        cells.ranker,
        cells.representation,
        cells.budget,
        cells.condition,
        cells.naming,
        conditions.packing_order = 'required_removed' as is_removed,
    from run_questions
    inner join cells on run_questions.setting = cells.setting
    inner join conditions on cells.condition = conditions.condition

),

packed as (

    select
        requested.*,
        packings.n_tables,
        packings.cap_tokens,
        packings.is_infeasible,
        packings.table_numbers,
    from requested
    inner join packings
        on requested.benchmark = packings.benchmark
        and requested.question_id = packings.question_id
        and requested.ranker = packings.ranker
        and requested.representation = packings.representation
        and requested.budget = packings.budget
        and requested.condition = packings.condition

),

members as (

    select
        benchmark,
        question_id,
        setting,
        representation,
        naming,
        is_removed,
        unnest(table_numbers) as table_number,
        unnest(range(1, n_tables + 1)) as context_position,
    from packed

),

shown as (

    select
        members.benchmark,
        members.question_id,
        members.setting,
        members.context_position,
        coalesce(removal_texts.text, table_texts.text) as text,
        coalesce(removal_texts.n_tokens, table_texts.n_tokens) as n_tokens,
    from members
    inner join pool
        on members.benchmark = pool.benchmark
        and members.table_number = pool.table_number
    inner join table_texts
        on pool.benchmark = table_texts.benchmark
        and pool.db_id = table_texts.db_id
        and pool.table_key = table_texts.table_key
        and members.representation = table_texts.representation
        and members.naming = table_texts.naming
    left join removal_texts
        on members.is_removed
        and members.question_id = removal_texts.question_id
        and pool.benchmark = removal_texts.benchmark
        and pool.db_id = removal_texts.db_id
        and pool.table_key = removal_texts.table_key
        and members.representation = removal_texts.representation
        and members.naming = removal_texts.naming

),

joined as (

    select
        benchmark,
        question_id,
        setting,
        string_agg(text, chr(10) || chr(10) order by context_position) as schema_text,
        sum(n_tokens)::integer as n_tokens,
    from shown
    group by benchmark, question_id, setting

),

contexts as (

    select
        packed.benchmark,
        packed.question_id,
        packed.setting,
        if(packed.is_infeasible, null, coalesce(joined.schema_text, '')) as schema_text,
        coalesce(joined.n_tokens, 0) as n_tokens,
        packed.n_tables,
        packed.cap_tokens,
        packed.is_infeasible,
    from packed
    left join joined
        on packed.benchmark = joined.benchmark
        and packed.question_id = joined.question_id
        and packed.setting = joined.setting

)

select * from contexts
