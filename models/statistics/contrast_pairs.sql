with

families as (

    select * from {{ ref('contrasts') }}

),

scores as (

    select * from {{ ref('question_scores') }}

),

questions as (

    select * from {{ ref('question_slices') }}
    where slice_by = 'all'

),

slices as (

    select * from {{ ref('slice_positions') }}
    where slice_by = 'all'

),

rates as (

    select distinct
        prediction_set,
        benchmark,
        protocol,
        metric,
    from scores

),

pairs as (

    -- Where both orders of a pair are asked for, the one that reads in alphabetical order is kept.
    select
        families.contrast_family,
        families.protocol,
        families.metric,
        families.equivalence_margin,
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
        rates_a.prediction_set < rates_b.prediction_set
        or (
            rates_a.prediction_set > rates_b.prediction_set
            and not (
                rates_b.prediction_set glob families.set_a_glob
                and rates_a.prediction_set glob families.set_b_glob
            )
        )

),

paired as (

    -- Paired on the questions that count for both sets.
    select
        pairs.contrast_family,
        pairs.benchmark,
        pairs.protocol,
        pairs.metric,
        pairs.set_a,
        pairs.set_b,
        pairs.equivalence_margin,
        questions.question_number,
        case when scores_b.numerator is not null then scores_a.numerator end as score_a,
        case when scores_a.numerator is not null then scores_b.numerator end as score_b,
        scores_a.numerator - scores_b.numerator as difference,
    from pairs
    inner join questions on pairs.benchmark = questions.benchmark
    left join scores as scores_a
        on pairs.set_a = scores_a.prediction_set
        and pairs.benchmark = scores_a.benchmark
        and pairs.protocol = scores_a.protocol
        and pairs.metric = scores_a.metric
        and questions.question_id = scores_a.question_id
    left join scores as scores_b
        on pairs.set_b = scores_b.prediction_set
        and pairs.benchmark = scores_b.benchmark
        and pairs.protocol = scores_b.protocol
        and pairs.metric = scores_b.metric
        and questions.question_id = scores_b.question_id

),

counted as (

    select
        contrast_family,
        benchmark,
        protocol,
        metric,
        set_a,
        set_b,
        any_value(equivalence_margin) as equivalence_margin,
        count(difference) as n_questions,
        bool_and(score_a in (0, 1) and score_b in (0, 1)) as is_binary,
        count(*) filter (where score_a = 1 and score_b = 1) as n_both_right,
        count(*) filter (where score_a = 1 and score_b = 0) as n_only_a,
        count(*) filter (where score_a = 0 and score_b = 1) as n_only_b,
        list(coalesce(difference, 0)::double order by question_number) as numerators,
        list(if(difference is null, 0, 1)::double order by question_number) as denominators,
    from paired
    group by contrast_family, benchmark, protocol, metric, set_a, set_b
    having count(difference) > 0

),

clustered as (

    select
        counted.*,
        slices.question_slice_id,
        slices.database_slice_id,
        list_sum(counted.numerators) / counted.n_questions as difference,
        list_transform(
            slices.positions_by_database,
            lambda positions: list_sum(list_select(counted.numerators, positions))
        ) as numerators_by_database,
        list_transform(
            slices.positions_by_database,
            lambda positions: list_sum(list_select(counted.denominators, positions))
        ) as denominators_by_database,
    from counted
    inner join slices on counted.benchmark = slices.benchmark

)

select
    contrast_family,
    benchmark,
    protocol,
    metric,
    set_a,
    set_b,
    equivalence_margin,
    round(difference, 12) as difference,
    -- Σ(d − mean)² = Σd² − n·mean²; with one question there is none.
    case when n_questions > 1 then
        sqrt(
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
    md5(concat_ws(' ', question_slice_id, numerators::varchar, denominators::varchar)) as question_ratio_id,
    md5(concat_ws(' ', database_slice_id, numerators_by_database::varchar, denominators_by_database::varchar))
        as database_ratio_id,
    numerators,
    denominators,
    numerators_by_database,
    denominators_by_database,
from clustered
