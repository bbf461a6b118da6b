{% set keys = ['contrast_family', 'prediction_set', 'benchmark_a', 'dialect_a', 'benchmark_b', 'dialect_b'] -%}

with

families as (

    select * from {{ ref('contrasts') }}
    where cell_factor = 'dialect'

),

questions as (

    select * from {{ ref('placed_questions') }}
    where source_question_id is not null

),

scores as (

    select * from {{ ref('question_scores') }}

),

slices as (

    select * from {{ ref('question_slices') }}

),

positions as (

    select * from {{ ref('slice_positions') }}

),

versions as (

    select
        questions_a.benchmark as benchmark_a,
        questions_a.dialect as dialect_a,
        questions_a.question_id as question_a,
        questions_b.benchmark as benchmark_b,
        questions_b.dialect as dialect_b,
        questions_b.question_id as question_b,
    from questions as questions_a
    inner join questions as questions_b
        on questions_a.source_question_id = questions_b.source_question_id
        and questions_a.dialect <> questions_b.dialect

),

paired as (

    -- The versions of a question that count for the set in both dialects.
    select
        families.contrast_family,
        scores_a.prediction_set,
        versions.*,
        scores_a.numerator as score_a,
        scores_b.numerator as score_b,
    from families
    inner join scores as scores_a
        on families.protocol = scores_a.protocol
        and families.metric = scores_a.metric
        and scores_a.benchmark glob families.benchmark_glob
        and scores_a.prediction_set glob families.set_a_glob
    inner join versions
        on scores_a.benchmark = versions.benchmark_a
        and scores_a.question_id = versions.question_a
    inner join scores as scores_b
        on versions.benchmark_b = scores_b.benchmark
        and versions.question_b = scores_b.question_id
        and scores_a.prediction_set = scores_b.prediction_set
        and scores_a.protocol = scores_b.protocol
        and scores_a.metric = scores_b.metric
        and scores_b.prediction_set glob families.set_b_glob
    where
        (versions.dialect_a = families.level_a and versions.dialect_b = families.level_b)
        or (families.level_a is null and versions.dialect_a < versions.dialect_b)

),

pairs as (

    select distinct {{ keys | join(', ') }} from paired

),

counted as (

    -- A place for every question of the left benchmark, whose draws are used.
    select
        {%- for key in keys %}
        pairs.{{ key }},
        {%- endfor %}
        slices.slice_by,
        slices.slice,
        count(paired.score_a) as n_questions,
        avg(paired.score_a) as value_a,
        avg(paired.score_b) as value_b,
        bool_and(paired.score_a in (0, 1) and paired.score_b in (0, 1)) as is_binary,
        count(*) filter (where paired.score_a = 1 and paired.score_b = 1) as n_both_right,
        count(*) filter (where paired.score_a = 1 and paired.score_b = 0) as n_only_a,
        count(*) filter (where paired.score_a = 0 and paired.score_b = 1) as n_only_b,
        list(coalesce(paired.score_a - paired.score_b, 0)::double order by slices.question_number) as numerators,
        list(if(paired.score_a is null, 0, 1)::double order by slices.question_number) as denominators,
    from pairs
    inner join families on pairs.contrast_family = families.contrast_family
    inner join slices
        on pairs.benchmark_a = slices.benchmark
        and families.slice_by = slices.slice_by
        and families.slice = slices.slice
    left join paired
        on slices.question_id = paired.question_a
        {%- for key in keys %}
        and pairs.{{ key }} = paired.{{ key }}
        {%- endfor %}
    group by
        {%- for key in keys %}
        pairs.{{ key }},
        {%- endfor %}
        slices.slice_by,
        slices.slice
    having count(paired.score_a) > 0

),

clustered as (

    select
        counted.*,
        positions.question_slice_id,
        positions.database_slice_id,
        {% for numbers in ['numerators', 'denominators'] -%}
        list_transform(
            positions.positions_by_database,
            lambda places: list_sum(list_select(counted.{{ numbers }}, places))
        ) as {{ numbers }}_by_database,
        {% endfor %}
    from counted
    inner join positions
        on counted.benchmark_a = positions.benchmark
        and counted.slice_by = positions.slice_by
        and counted.slice = positions.slice

)

select
    *,
    len(list_filter(denominators_by_database, lambda denominator: denominator > 0)) as n_clusters,
    md5(concat_ws(' ', question_slice_id, numerators::varchar, denominators::varchar)) as question_ratio_id,
    md5(concat_ws(' ', database_slice_id, numerators_by_database::varchar, denominators_by_database::varchar))
        as database_ratio_id,
from clustered
