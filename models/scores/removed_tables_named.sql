with

cell_sets as (

    select cell_sets.*
    from {{ ref('cell_sets') }} as cell_sets
    inner join {{ ref('conditions') }} as conditions on cell_sets.condition = conditions.condition
    where
        conditions.packing_order = 'required_removed'
        and not cell_sets.is_derived

),

predictions as (

    select * from {{ ref('predictions') }}

),

scores as (

    select * from {{ ref('score_namespace') }}
    where ex_set_namespace is not null

),

answers as (

    select * from {{ ref('translated_answers') }}

),

tables_read as (

    select * from {{ ref('tables_read') }}

),

required_tables as (

    select * from {{ ref('required_tables') }}

),

pool as (

    select * from {{ ref('pooled_tables') }}

),

asked as (

    -- The words that the prompt says beside the schema: the question's, and those of the evidence that goes with it.
    select
        benchmark,
        question_id,
        {{ name_terms("concat_ws(' ', question, evidence)") }} as terms,
    from {{ ref('questions') }}

),

leaks as (

    select * from {{ ref('lexical_leaks') }}

),

removed as (

    -- The database's own name is left out of the guess: other tables in the context can tell it.
    select
        required_tables.benchmark,
        required_tables.question_id,
        required_tables.db_id,
        required_tables.table_key,
        {{ name_terms('pool.table_name') }} as name_terms,
        {{ name_terms('pool.bare_name') }} as bare_name_terms,
        asked.terms as asked_terms,
    from required_tables
    inner join pool
        on required_tables.benchmark = pool.benchmark
        and required_tables.db_id = pool.db_id
        and required_tables.table_key = pool.table_key
    inner join asked
        on required_tables.benchmark = asked.benchmark
        and required_tables.question_id = asked.question_id

),

judged as (

    select
        predictions.prediction_id,
        predictions.prediction_set,
        predictions.benchmark,
        predictions.question_id,
        predictions.sample,
        predictions.db_id,
        scores.ex_set_namespace,
        cell_sets.ranker,
        cell_sets.representation,
        cell_sets.budget,
        cell_sets.condition,
        cell_sets.naming,
        answers.text_id,
    from predictions
    inner join cell_sets
        on predictions.prediction_set = cell_sets.prediction_set
        and predictions.benchmark = cell_sets.benchmark
    inner join scores on predictions.prediction_id = scores.prediction_id
    left join answers
        on predictions.prediction_set = answers.prediction_set
        and predictions.benchmark = answers.benchmark
        and predictions.question_id = answers.question_id
        and predictions.sample = answers.sample

),

by_table as (

    select
        judged.prediction_id,
        removed.table_key,
        if(judged.naming = 'bare', len(removed.bare_name_terms), len(removed.name_terms)) > 0
        and list_has_all(
            removed.asked_terms, if(judged.naming = 'bare', removed.bare_name_terms, removed.name_terms)
        ) as is_guessable,
        tables_read.text_id is not null as is_named,
    from judged
    inner join removed
        on judged.benchmark = removed.benchmark
        and judged.question_id = removed.question_id
    left join tables_read
        on judged.text_id = tables_read.text_id
        and removed.db_id = tables_read.db_id
        and removed.table_key = tables_read.table_key

),

counted as (

    select
        prediction_id,
        count(*) as n_removed,
        count(*) filter (where is_guessable) as n_guessable,
        count(*) filter (where is_named) as n_named,
        count(*) filter (where is_named and is_guessable) as n_named_guessable,
    from by_table
    group by prediction_id

),

named as (

    select
        judged.prediction_id,
        judged.prediction_set,
        judged.benchmark,
        judged.question_id,
        judged.sample,
        judged.db_id,
        judged.ex_set_namespace as is_correct,
        counted.n_removed,
        counted.n_guessable,
        counted.n_named,
        counted.n_named_guessable,
        coalesce(leaks.n_lexical_leaks, 0)::bigint as n_lexical_leaks,
    from judged
    inner join counted on judged.prediction_id = counted.prediction_id
    left join leaks
        on judged.benchmark = leaks.benchmark
        and judged.question_id = leaks.question_id
        and judged.ranker = leaks.ranker
        and judged.representation = leaks.representation
        and judged.budget = leaks.budget
        and judged.condition = leaks.condition

)

select * from named
