with

scores as (

    select * from {{ ref('question_scores') }}

),

questions as (

    select * from {{ ref('question_slices') }}
    where slice_by = 'all'

),

slices as (

    select * from {{ ref('slice_positions') }}

),

kinds as (

    select * from {{ ref('slices') }}

),

cell_sets as (

    select * from {{ ref('cell_sets') }}

),

protocols as (

    select * from {{ ref('protocols') }}

),

rates as (

    select distinct
        scores.prediction_set,
        scores.benchmark,
        scores.protocol,
        scores.metric,
        cell_sets.prediction_set is not null as is_in_cell,
        coalesce(protocols.is_for_histories, false) as is_of_history,
    from scores
    left join protocols on scores.protocol = protocols.protocol
    left join cell_sets
        on scores.prediction_set = cell_sets.prediction_set
        and scores.benchmark = cell_sets.benchmark

),

whole as (

    -- One list per rate, with a place for every question of the benchmark.
    select
        rates.prediction_set,
        rates.benchmark,
        rates.protocol,
        rates.metric,
        any_value(rates.is_in_cell) as is_in_cell,
        any_value(rates.is_of_history) as is_of_history,
        list(coalesce(scores.numerator, 0)::double order by questions.question_number) as numerators,
        list(coalesce(scores.denominator, 0)::double order by questions.question_number) as denominators,
    from rates
    inner join questions on rates.benchmark = questions.benchmark
    left join scores
        on rates.prediction_set = scores.prediction_set
        and rates.benchmark = scores.benchmark
        and rates.protocol = scores.protocol
        and rates.metric = scores.metric
        and questions.question_id = scores.question_id
    group by rates.prediction_set, rates.benchmark, rates.protocol, rates.metric

),

sliced as (

    select
        whole.prediction_set,
        whole.benchmark,
        whole.protocol,
        whole.metric,
        slices.slice_by,
        slices.slice,
        slices.question_slice_id,
        slices.database_slice_id,
        slices.positions_by_database,
        list_select(whole.numerators, slices.question_numbers) as numerators,
        list_select(whole.denominators, slices.question_numbers) as denominators,
    from whole
    inner join slices on whole.benchmark = slices.benchmark
    inner join kinds
        on slices.slice_by = kinds.slice_by
        and case
            when whole.is_of_history then kinds.is_for_histories
            when whole.is_in_cell then kinds.is_for_cells
            else kinds.is_for_others
        end

),

clustered as (

    select
        *,
        list_transform(
            positions_by_database, lambda positions: list_sum(list_select(numerators, positions))
        ) as numerators_by_database,
        list_transform(
            positions_by_database, lambda positions: list_sum(list_select(denominators, positions))
        ) as denominators_by_database,
    from sliced

)

select
    prediction_set,
    benchmark,
    protocol,
    metric,
    slice_by,
    slice,
    -- Sums of ratios differ in their last digits with the order they are made in.
    round(list_sum(numerators) / list_sum(denominators), 12) as value,
    round(list_sum(numerators), 9) as numerator,
    list_sum(denominators)::bigint as denominator,
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
where list_sum(denominators) > 0
