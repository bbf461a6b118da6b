with

landed as (

    select * from {{ ref('stg_golds') }}

),

questions as (

    select * from {{ ref('placed_questions') }}

),

keyed as (

    select
        md5(concat_ws(chr(31), landed.benchmark, landed.question_id, landed.gold_edition, landed.gold_number))
            as gold_id,
        landed.benchmark,
        landed.question_id,
        landed.gold_edition,
        landed.gold_number,
        landed.gold_sql,
        landed.result_id as stored_result_id,
        landed.is_ordered as is_stored_result_ordered,
        coalesce(landed.dialect, questions.dialect) as dialect,
        case when landed.gold_sql is not null then {{ sql_id('coalesce(landed.dialect, questions.dialect)', 'landed.gold_sql') }} end
            as sql_id,
        -- A text in another dialect is not run: the engine would read it as its own, and silently differently.
        coalesce(coalesce(landed.dialect, questions.dialect) <> questions.engine_dialect, false) as is_other_dialect,
        case when landed.gold_sql is not null and coalesce(landed.dialect, questions.dialect) = questions.engine_dialect
            then {{ statement_id('questions.engine', 'questions.snapshot_id', 'landed.gold_sql') }} end
            as statement_id,
        questions.has_database,
        questions.db_id,
        questions.is_ordered as is_question_ordered,
    from landed
    inner join questions
        on landed.benchmark = questions.benchmark
        and landed.question_id = questions.question_id

)

select * from keyed
