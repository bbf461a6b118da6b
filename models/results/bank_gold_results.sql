with

imports as (

    select * from {{ ref('stg_imports') }}

),

questions as (

    select * from {{ ref('placed_questions') }}

),

golds as (

    select * from {{ ref('gold_outcomes') }}

),

declared as (

    select distinct
        question_id,
        column_position,
        value_type,
        n_decimals,
    from {{ ref('stg_question_result_columns') }}

),

result_rows as (

    select * from {{ ref('stg_result_rows') }}

),

asked as (

    select
        benchmark,
        question_id,
        engine,
        engine_dialect,
        is_ordered,
        base_benchmark is not null as is_supplementary,
    from questions
    where benchmark in (select imports.benchmark from imports where imports.import_kind = 'bank')

),

newest as (

    -- Of a live database what the newest wave with an answer gave.
    select * from golds
    where
        gold_edition = 'benchmark'
        and gold_number = 1
    qualify row_number() over (partition by gold_id order by (outcome = 'answered') desc, executed_at desc) = 1

),

placed as (

    select
        asked.*,
        newest.gold_sql,
        newest.outcome,
        newest.error_class,
        newest.error_message,
        newest.result_id,
        newest.n_rows,
    from asked
    left join newest
        on asked.benchmark = newest.benchmark
        and asked.question_id = newest.question_id

),

cells as (

    select
        results.question_id,
        results.result_id,
        result_rows.row_number,
        unnest(result_rows.cells) as cell,
        generate_subscripts(result_rows.cells, 1) as column_position,
    from (select distinct question_id, result_id from placed where result_id is not null) as results
    inner join result_rows on results.result_id = result_rows.result_id

),

typed_rows as (

    select
        cells.question_id,
        cells.result_id,
        cells.row_number,
        to_json(list(
            {{ typed_cell('cells.cell', 'declared.value_type', 'declared.n_decimals') }}
            order by cells.column_position
        ))::varchar as typed_row,
    from cells
    left join declared
        on cells.question_id = declared.question_id
        and cells.column_position = declared.column_position
    group by cells.question_id, cells.result_id, cells.row_number

),

keyed as (

    select
        question_id,
        result_id,
        count(*) as n_stored_rows,
        md5(string_agg(typed_row, chr(10) order by row_number)) as ordered_key,
        md5(string_agg(typed_row, chr(10) order by typed_row)) as multiset_key,
    from typed_rows
    group by question_id, result_id

)

select
    placed.benchmark,
    placed.question_id,
    placed.engine,
    placed.engine_dialect as dialect,
    placed.is_supplementary,
    placed.gold_sql,
    case when placed.gold_sql is not null then placed.outcome end as outcome,
    placed.error_class,
    placed.error_message,
    placed.n_rows,
    -- Rows that were not kept have no key; an empty result has one.
    case
        when placed.result_id is null or coalesce(keyed.n_stored_rows, 0) <> placed.n_rows then null
        when placed.n_rows = 0 then md5('')
        when placed.is_ordered then keyed.ordered_key
        else keyed.multiset_key
    end as typed_result_id,
from placed
left join keyed
    on placed.question_id = keyed.question_id
    and placed.result_id = keyed.result_id
