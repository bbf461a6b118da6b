with

golds as (

    select * from {{ ref('golds') }}
    where sql_id is not null

),

texts as (

    select * from {{ ref('union_texts') }}
    where naming = 'own'

),

statements as (

    select * from {{ ref('union_statements') }}

),

rewritten as (

    select
        golds.gold_id,
        golds.benchmark,
        golds.question_id,
        golds.gold_edition,
        golds.gold_number,
        golds.db_id,
        golds.dialect,
        golds.gold_sql,
        golds.statement_id as own_statement_id,
        texts.text_id,
        case when texts.problem is null then texts.union_sql end as union_sql,
        case when texts.problem is null then texts.union_sql_id end as union_sql_id,
        case when texts.problem is null then texts.bare_sql end as bare_sql,
        texts.problem,
        statements.engine,
        statements.union_id,
        statements.statement_id,
    from golds
    inner join texts
        on golds.benchmark = texts.benchmark
        and golds.db_id = texts.db_id
        and golds.sql_id = texts.sql_id
    left join statements on texts.text_id = statements.text_id

)

select * from rewritten
