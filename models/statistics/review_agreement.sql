with

reviews as (

    select * from {{ ref('stg_task_reviews') }}
    where role = 'annotator'

),

ratings as (

    -- One decision of a reviewer on a task in a round, whatever several files say of it; of two that differ none.
    select
        benchmark,
        review_round,
        task_id,
        reviewer,
        min(decision) as decision,
    from reviews
    where decision is not null
    group by benchmark, review_round, task_id, reviewer
    having count(distinct decision) = 1

),

categories as (

    -- Decisions that could be taken are those that were, in either round; two at least.
    select
        benchmark,
        greatest(count(distinct decision), 2) as n_categories,
    from ratings
    group by benchmark

),

counts as (

    select
        benchmark,
        review_round,
        task_id,
        decision,
        count(*) as n_deciding_so,
    from ratings
    group by benchmark, review_round, task_id, decision

),

tasks as (

    select
        benchmark,
        review_round,
        task_id,
        sum(n_deciding_so)::double as n_ratings,
        sum(n_deciding_so * (n_deciding_so - 1))::double as n_agreeing_pairs,
        count(*) = 1 as is_unanimous,
    from counts
    group by benchmark, review_round, task_id

),

reviewers as (

    select
        benchmark,
        review_round,
        count(distinct reviewer) as n_reviewers,
    from ratings
    group by benchmark, review_round

),

totals as (

    select
        benchmark,
        review_round,
        count(*)::double as n_items,
        count(*) filter (where n_ratings > 1) as n_items_rated_twice,
        count(*) filter (where n_ratings > 1 and is_unanimous) as n_unanimous,
        sum(n_agreeing_pairs / (n_ratings * (n_ratings - 1))) filter (where n_ratings > 1)
            / count(*) filter (where n_ratings > 1) as agreement,
    from tasks
    group by benchmark, review_round

),

shares as (

    -- How often each decision is taken, every task counting alike.
    select
        counts.benchmark,
        counts.review_round,
        counts.decision,
        sum(counts.n_deciding_so / tasks.n_ratings) / any_value(totals.n_items) as share,
    from counts
    inner join tasks
        on counts.benchmark = tasks.benchmark
        and counts.review_round = tasks.review_round
        and counts.task_id = tasks.task_id
    inner join totals
        on counts.benchmark = totals.benchmark
        and counts.review_round = totals.review_round
    group by counts.benchmark, counts.review_round, counts.decision

),

by_chance as (

    select
        shares.benchmark,
        shares.review_round,
        sum(shares.share * (1 - shares.share)) / (any_value(categories.n_categories) - 1) as chance,
    from shares
    inner join categories on shares.benchmark = categories.benchmark
    group by shares.benchmark, shares.review_round

),

coefficients as (

    select
        totals.*,
        categories.n_categories,
        by_chance.chance,
        (totals.agreement - by_chance.chance) / (1 - by_chance.chance) as ac1,
    from totals
    inner join by_chance
        on totals.benchmark = by_chance.benchmark
        and totals.review_round = by_chance.review_round
    inner join categories on totals.benchmark = categories.benchmark

),

task_chances as (

    select
        counts.benchmark,
        counts.review_round,
        counts.task_id,
        sum(counts.n_deciding_so * (1 - shares.share) / tasks.n_ratings) as chance_sum,
    from counts
    inner join tasks
        on counts.benchmark = tasks.benchmark
        and counts.review_round = tasks.review_round
        and counts.task_id = tasks.task_id
    inner join shares
        on counts.benchmark = shares.benchmark
        and counts.review_round = shares.review_round
        and counts.decision = shares.decision
    group by counts.benchmark, counts.review_round, counts.task_id

),

deviations as (

    -- What each task contributes to the coefficient, linearised (Gwet 2008, section 5).
    select
        tasks.benchmark,
        tasks.review_round,
        case
            when tasks.n_ratings > 1
                then coefficients.n_items / coefficients.n_items_rated_twice
                    * (tasks.n_agreeing_pairs / (tasks.n_ratings * (tasks.n_ratings - 1)) - coefficients.chance)
                    / (1 - coefficients.chance)
            else 0
        end
        - 2 * (1 - coefficients.ac1)
        * (task_chances.chance_sum / (coefficients.n_categories - 1) - coefficients.chance)
        / (1 - coefficients.chance)
        - coefficients.ac1 as deviation,
    from tasks
    inner join task_chances
        on tasks.benchmark = task_chances.benchmark
        and tasks.review_round = task_chances.review_round
        and tasks.task_id = task_chances.task_id
    inner join coefficients
        on tasks.benchmark = coefficients.benchmark
        and tasks.review_round = coefficients.review_round

),

errors as (

    select
        benchmark,
        review_round,
        count(*) as n_items,
        case when count(*) > 1
            then sqrt(sum(deviation * deviation) / (count(*) * (count(*) - 1.0))) end as standard_error,
    from deviations
    group by benchmark, review_round

),

agreed as (

    select
        coefficients.benchmark,
        coefficients.review_round,
        coefficients.n_items::bigint as n_items,
        coefficients.n_items_rated_twice,
        reviewers.n_reviewers,
        coefficients.n_categories,
        coefficients.n_unanimous,
        case when coefficients.n_items_rated_twice > 0
            then round(coefficients.n_unanimous / coefficients.n_items_rated_twice, 9) end as full_agreement,
        round(coefficients.agreement, 9) as observed_agreement,
        round(coefficients.chance, 9) as chance_agreement,
        round(coefficients.ac1, 9) as gwet_ac1,
        round(errors.standard_error, 9) as standard_error,
        round(
            greatest(coefficients.ac1 - {{ student_quantile('(errors.n_items - 1)') }} * errors.standard_error, -1), 9
        ) as interval_low,
        round(
            least(coefficients.ac1 + {{ student_quantile('(errors.n_items - 1)') }} * errors.standard_error, 1), 9
        ) as interval_high,
    from coefficients
    inner join errors
        on coefficients.benchmark = errors.benchmark
        and coefficients.review_round = errors.review_round
    inner join reviewers
        on coefficients.benchmark = reviewers.benchmark
        and coefficients.review_round = reviewers.review_round

)

select * from agreed
