{%- set depths = [1, 5, 10, 25, 50, 100] -%}

with

ranks as (

    select * from {{ ref('required_table_ranks') }}

),

splits as (

    select * from {{ ref('question_splits') }}

),

questions as (

    select
        benchmark,
        question_id,
        ranker,
        count(*) as n_required,
        sum(1 / table_rank) as sum_reciprocal_ranks,
        min(table_rank) as first_rank,
        max(table_rank) as last_rank,
        {%- for depth in depths %}
        count(*) filter (where table_rank <= {{ depth }}) / count(*) as recall_at_{{ depth }},
        {%- endfor %}
    from ranks
    group by benchmark, question_id, ranker

),

grouped as (

    select
        questions.*,
        unnest(['all', splits.split]) as split,
    from questions
    inner join splits
        on questions.benchmark = splits.benchmark
        and questions.question_id = splits.question_id

),

averaged as (

    -- Means are rounded: their last digits differ with the order in which they are summed.
    select
        benchmark,
        ranker,
        split,
        count(*) as n_questions,
        sum(n_required)::bigint as n_required,
        round(sum(sum_reciprocal_ranks) / sum(n_required), 9) as mean_reciprocal_rank,
        round(avg(1 / first_rank), 9) as mean_first_reciprocal_rank,
        {%- for depth in depths %}
        round(avg(recall_at_{{ depth }}), 9) as recall_at_{{ depth }},
        {%- endfor %}
        {%- for depth in depths %}
        count(*) filter (where last_rank <= {{ depth }}) / count(*) as coverage_at_{{ depth }},
        {%- endfor %}
        quantile_disc(last_rank, 0.5) as p50_last_rank,
        quantile_disc(last_rank, 0.95) as p95_last_rank,
    from grouped
    group by benchmark, ranker, split

)

select * from averaged
order by benchmark, split, ranker
