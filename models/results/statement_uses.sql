with

questions as (

    select * from {{ ref('placed_questions') }}

),

syntax as (

    select * from {{ ref('statement_syntax') }}

),

gold_statements as (

    select
        golds.statement_id,
        questions.engine,
        questions.snapshot_id,
        questions.database_path,
        questions.connection,
        questions.search_path,
        golds.benchmark,
        golds.db_id,
        golds.sql_id,
        golds.gold_sql as sql,
        'gold' as role,
    from {{ ref('golds') }} as golds
    inner join questions
        on golds.benchmark = questions.benchmark
        and golds.question_id = questions.question_id
    where golds.statement_id is not null

),

predicted_statements as (

    select
        predictions.statement_id,
        questions.engine,
        questions.snapshot_id,
        questions.database_path,
        questions.connection,
        questions.search_path,
        predictions.benchmark,
        predictions.db_id,
        predictions.sql_id,
        predictions.predicted_sql as sql,
        'prediction' as role,
    from {{ ref('predictions') }} as predictions
    inner join questions
        on predictions.benchmark = questions.benchmark
        and predictions.question_id = questions.question_id
    where predictions.statement_id is not null and predictions.namespace is null

),

union_predictions as (

    select distinct
        answers.statement_id,
        answers.engine,
        answers.union_id as snapshot_id,
        null as database_path,
        null as connection,
        null as search_path,
        answers.benchmark,
        answers.db_id,
        answers.union_sql_id as sql_id,
        answers.union_sql as sql,
        'prediction' as role,
    from {{ ref('translated_answers') }} as answers
    where answers.statement_id is not null

),

union_golds as (

    select
        golds.statement_id,
        golds.engine,
        golds.union_id as snapshot_id,
        null as database_path,
        null as connection,
        null as search_path,
        golds.benchmark,
        golds.db_id,
        golds.union_sql_id as sql_id,
        golds.union_sql as sql,
        'union_gold' as role,
    from {{ ref('union_golds') }} as golds
    where golds.statement_id is not null

),

drafted_statements as (

    select
        drafts.statement_id,
        drafts.engine,
        drafts.snapshot_id,
        drafts.database_path,
        drafts.connection,
        drafts.search_path,
        drafts.benchmark,
        drafts.db_id,
        drafts.sql_id,
        drafts.sql,
        'draft' as role,
    from {{ ref('drafted_statements') }} as drafts

),

distractor_statements as (

    select
        distractors.statement_id,
        distractors.engine,
        distractors.snapshot_id,
        distractors.database_path,
        distractors.connection,
        distractors.search_path,
        distractors.benchmark,
        distractors.db_id,
        distractors.sql_id,
        distractors.distractor_sql as sql,
        'distractor' as role,
    from {{ ref('distractors') }} as distractors

),

gold_probes as (

    -- The gold with its order keys appended, to learn which of its rows are tied.
    select
        {{ statement_id('gold_statements.engine', 'gold_statements.snapshot_id', 'syntax.order_probe_sql') }}
            as statement_id,
        gold_statements.engine,
        gold_statements.snapshot_id,
        gold_statements.database_path,
        gold_statements.connection,
        gold_statements.search_path,
        gold_statements.benchmark,
        gold_statements.db_id,
        null as sql_id,
        syntax.order_probe_sql as sql,
        'gold_order_probe' as role,
    from gold_statements
    inner join syntax on gold_statements.sql_id = syntax.sql_id
    where syntax.order_probe_sql is not null

),

uses as (

    select * from gold_statements
    union all
    select * from predicted_statements
    union all
    select * from union_predictions
    union all
    select * from union_golds
    union all
    select * from gold_probes
    union all
    select * from drafted_statements
    union all
    select * from distractor_statements

)

select distinct * from uses
