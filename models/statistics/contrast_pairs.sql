{% set factors = ['ranker', 'representation', 'budget', 'condition', 'naming'] -%}

with

families as (

    select * from {{ ref('contrasts') }}

),

metrics as (

    select * from {{ ref('metrics') }}

),

scores as (

    select * from {{ ref('question_scores') }}

),

cell_sets as (

    -- A majority repeats what is compared already, and so does a second set of one solver in one cell.
    select * from {{ ref('cell_sets') }}
    where not is_derived and not is_repeat

),

unpaired as (

    select * from {{ ref('unpaired_questions') }}

),

questions as (

    select * from {{ ref('question_slices') }}

),

slices as (

    select * from {{ ref('slice_positions') }}

),

rates as (

    select distinct
        prediction_set,
        benchmark,
        protocol,
        metric,
    from scores

),

pairs_of_sets as (

    -- Where both orders of a pair are asked for, the one that reads in alphabetical order is kept.
    select
        families.contrast_family,
        '' as family_scope,
        rates_a.benchmark,
        rates_a.prediction_set as set_a,
        rates_b.prediction_set as set_b,
    from families
    inner join rates as rates_a
        on families.protocol = rates_a.protocol
        and families.metric = rates_a.metric
        and rates_a.benchmark glob families.benchmark_glob
        and rates_a.prediction_set glob families.set_a_glob
    inner join rates as rates_b
        on rates_a.benchmark = rates_b.benchmark
        and rates_a.protocol = rates_b.protocol
        and rates_a.metric = rates_b.metric
        and rates_b.prediction_set glob families.set_b_glob
    where
        families.cell_factor is null
        and (
            rates_a.prediction_set < rates_b.prediction_set
            or (
                rates_a.prediction_set > rates_b.prediction_set
                and not (
                    rates_b.prediction_set glob families.set_a_glob
                    and rates_a.prediction_set glob families.set_b_glob
                )
            )
        )

),

levels as (

    -- Each cell of a solver, once by each of its factors: its level, and all the rest.
    {% for factor in factors -%}
    select
        prediction_set,
        benchmark,
        '{{ factor }}' as cell_factor,
        {{ factor }} as level,
        concat_ws(
            ' ', solver_id{% for other in factors if other != factor %}, {{ other }}{% endfor %}
        ) as rest,
        concat_ws(
            ' ', model{% for other in ['condition', 'naming'] if other != factor %}, {{ other }}{% endfor %}, left(solver_id, 8)
        ) as family_scope,
    from cell_sets
    {%- if not loop.last %}
    union all
    {% endif %}
    {%- endfor %}

),

pairs_of_cells as (

    -- Cells that differ in the family's factor alone: at the levels it names, or at any two.
    select
        families.contrast_family,
        levels_a.family_scope,
        levels_a.benchmark,
        levels_a.prediction_set as set_a,
        levels_b.prediction_set as set_b,
    from families
    inner join levels as levels_a
        on families.cell_factor = levels_a.cell_factor
        and levels_a.benchmark glob families.benchmark_glob
        and levels_a.prediction_set glob families.set_a_glob
    inner join levels as levels_b
        on levels_a.cell_factor = levels_b.cell_factor
        and levels_a.benchmark = levels_b.benchmark
        and levels_a.rest = levels_b.rest
        and levels_b.prediction_set glob families.set_b_glob
    where
        (levels_a.level = families.level_a and levels_b.level = families.level_b)
        or (families.level_a is null and levels_a.level < levels_b.level)

),

pairs as (

    select
        pairs.contrast_family,
        pairs.family_scope,
        pairs.benchmark,
        families.protocol,
        families.metric,
        families.slice_by,
        families.slice,
        families.equivalence_margin,
        metrics.unit = 'ratio' as is_ratio,
        pairs.set_a,
        pairs.set_b,
    from (
        select * from pairs_of_sets
        union all
        select * from pairs_of_cells
    ) as pairs
    inner join families on pairs.contrast_family = families.contrast_family
    inner join metrics on families.metric = metrics.metric

),

paired_scores as (

    select scores.*
    from scores
    anti join unpaired
        on scores.prediction_set = unpaired.prediction_set
        and scores.benchmark = unpaired.benchmark
        and scores.question_id = unpaired.question_id

),

paired as (

    -- Paired on the questions that count for both sets.
    select
        pairs.*,
        questions.question_number,
        case when scores_b.numerator is not null then scores_a.numerator end as score_a,
        case when scores_a.numerator is not null then scores_b.numerator end as score_b,
        case when scores_b.numerator is not null then scores_a.denominator end as denominator_a,
        case when scores_a.numerator is not null then scores_b.denominator end as denominator_b,
        scores_a.numerator - scores_b.numerator as difference,
    from pairs
    inner join questions
        on pairs.benchmark = questions.benchmark
        and pairs.slice_by = questions.slice_by
        and pairs.slice = questions.slice
    left join paired_scores as scores_a
        on pairs.set_a = scores_a.prediction_set
        and pairs.benchmark = scores_a.benchmark
        and pairs.protocol = scores_a.protocol
        and pairs.metric = scores_a.metric
        and questions.question_id = scores_a.question_id
    left join paired_scores as scores_b
        on pairs.set_b = scores_b.prediction_set
        and pairs.benchmark = scores_b.benchmark
        and pairs.protocol = scores_b.protocol
        and pairs.metric = scores_b.metric
        and questions.question_id = scores_b.question_id

),

counted as (

    select
        contrast_family,
        family_scope,
        benchmark,
        protocol,
        metric,
        slice_by,
        slice,
        set_a,
        set_b,
        any_value(equivalence_margin) as equivalence_margin,
        any_value(is_ratio) as is_ratio,
        count(difference) as n_questions,
        bool_and(score_a in (0, 1) and score_b in (0, 1)) as is_binary,
        count(*) filter (where score_a = 1 and score_b = 1) as n_both_right,
        count(*) filter (where score_a = 1 and score_b = 0) as n_only_a,
        count(*) filter (where score_a = 0 and score_b = 1) as n_only_b,
        -- A mean of differences; or, where questions weigh differently on either side, a difference of two ratios.
        list(coalesce(if(is_ratio, score_a, difference), 0)::double order by question_number) as numerators,
        list(
            coalesce(if(is_ratio, denominator_a, if(difference is null, 0, 1)), 0)::double order by question_number
        ) as denominators,
        case when any_value(is_ratio) then
            list(coalesce(score_b, 0)::double order by question_number)
        end as minus_numerators,
        case when any_value(is_ratio) then
            list(coalesce(denominator_b, 0)::double order by question_number)
        end as minus_denominators,
    from paired
    group by contrast_family, family_scope, benchmark, protocol, metric, slice_by, slice, set_a, set_b
    having count(difference) > 0

),

clustered as (

    select
        counted.*,
        slices.question_slice_id,
        slices.database_slice_id,
        nullif(list_sum(counted.denominators), 0) as total_a,
        nullif(list_sum(counted.minus_denominators), 0) as total_b,
        list_sum(counted.numerators) / total_a as value_a,
        list_sum(counted.minus_numerators) / total_b as value_b,
        {% for numbers in ['numerators', 'denominators', 'minus_numerators', 'minus_denominators'] -%}
        list_transform(
            slices.positions_by_database,
            lambda positions: list_sum(list_select(counted.{{ numbers }}, positions))
        ) as {{ numbers }}_by_database,
        {% endfor %}
    from counted
    inner join slices
        on counted.benchmark = slices.benchmark
        and counted.slice_by = slices.slice_by
        and counted.slice = slices.slice

),

compared as (

    select
        * replace (
            case when is_ratio then minus_numerators_by_database end as minus_numerators_by_database,
            case when is_ratio then minus_denominators_by_database end as minus_denominators_by_database
        ),
        if(is_ratio, value_a - value_b, value_a) as difference,
        -- In the large a ratio is a mean of what each question moves it by.
        list_transform(
            numerators,
            lambda numerator, i: n_questions * (
                (numerator - value_a * denominators[i]) / total_a
                - coalesce((minus_numerators[i] - value_b * minus_denominators[i]) / total_b, 0)
            )
        ) as influences,
    from clustered
    where
        total_a > 0
        and (not is_ratio or total_b > 0)

)

select
    contrast_family,
    family_scope,
    benchmark,
    protocol,
    metric,
    slice_by,
    slice,
    set_a,
    set_b,
    equivalence_margin,
    round(difference, 12) as difference,
    -- Σ(d − mean)² = Σd² − n·mean²; with one question there is none.
    case
        when n_questions = 1 then null
        when is_ratio then round(sqrt(list_dot_product(influences, influences) / (n_questions - 1)), 12)
        else sqrt(
            greatest(list_dot_product(numerators, numerators) - n_questions * difference * difference, 0)
            / (n_questions - 1)
        )
    end as standard_deviation,
    n_questions,
    is_binary,
    n_both_right,
    n_only_a,
    n_only_b,
    len(list_filter(denominators_by_database, lambda denominator: denominator > 0)) as n_clusters,
    question_slice_id,
    database_slice_id,
    {% for unit in ['question', 'database'] -%}
    {% set by = '_by_database' if unit == 'database' else '' -%}
    md5(concat_ws(
        ' ',
        {{ unit }}_slice_id,
        numerators{{ by }}::varchar,
        denominators{{ by }}::varchar,
        minus_numerators{{ by }}::varchar,
        minus_denominators{{ by }}::varchar
    )) as {{ unit }}_ratio_id,
    {% endfor %}
    {%- for numbers in ['numerators', 'denominators', 'minus_numerators', 'minus_denominators'] -%}
    {{ numbers }},
    {% endfor %}
    {%- for numbers in ['numerators', 'denominators', 'minus_numerators', 'minus_denominators'] -%}
    {{ numbers }}_by_database,
    {% endfor %}
from compared
