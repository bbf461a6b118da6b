with

pairs as (

    select * from {{ ref('divergence_pairs') }}

),

results as (

    select * from {{ ref('divergence_results') }}
    where outcome in ('diverges', 'diverges_beyond_data')

),

questions as (

    select * from {{ ref('questions') }}

),

tables as (

    -- Each table of a witness as text: its name, its columns, and a line a row.
    select
        results.divergence_id,
        named.table_name,
        json_extract(results.witness, '$."' || named.table_name || '".columns') as columns,
        json_extract(results.witness, '$."' || named.table_name || '".rows')::json[] as rows,
    from results
    cross join lateral (select unnest(json_keys(results.witness)) as table_name) as named

),

written as (

    select
        divergence_id,
        string_agg(
            table_name || ' ' || columns::varchar
            || array_to_string(list_transform(rows, lambda row: chr(10) || '  ' || row::varchar), ''),
            chr(10)
            order by table_name
        ) as tables,
    from tables
    group by divergence_id

)

select
    pairs.prediction_set,
    pairs.benchmark,
    pairs.db_id,
    pairs.question_id,
    questions.question,
    pairs.gold_sql,
    pairs.predicted_sql,
    results.outcome,
    results.kind,
    results.assumptions,
    written.tables,
    results.gold_rows,
    coalesce(results.predicted_rows, results.predicted_error) as predicted_rows,
    pairs.divergence_id,
    pairs.prediction_id,
from pairs
inner join results on pairs.divergence_id = results.divergence_id
left join written on pairs.divergence_id = written.divergence_id
left join questions
    on pairs.benchmark = questions.benchmark
    and pairs.question_id = questions.question_id
where not pairs.is_same_statement
order by pairs.prediction_set, pairs.benchmark, pairs.question_id
