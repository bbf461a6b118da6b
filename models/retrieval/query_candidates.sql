with

retrievers as (

    select * from {{ ref('retrievers') }}

),

thresholds as (

    select min(threshold) as lowest_threshold from {{ ref('history_thresholds') }}

),

similarities as (

    select * from {{ ref('script_similarities') }}

),

studied as (

    select * from {{ ref('history_benchmarks') }}

),

verdicts as (

    select * from {{ ref('stg_history_verdicts') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

preliminary as (

    select * from {{ ref('preliminary_queries') }}

),

measured as (

    select
        task_set,
        question_id,
        encoder,
        history,
        history_query_id,
        query_position,
        unnest([true, false]) as uses_questions,
        unnest([qs, description_score]) as question_score,
        unnest([mqs, masked_description_score]) as masked_score,
        description_score,
    from similarities

),

passed as (

    -- Below the lowest threshold of the grid nothing is retrieved.
    select
        measured.*,
        thresholds.lowest_threshold,
    from measured
    cross join thresholds
    where greatest(measured.question_score, measured.masked_score, measured.description_score) >= thresholds.lowest_threshold

),

right_answered as (

    -- Past queries whose question the named set got right.
    select
        studied.task_set,
        verdicts.question_id as history_query_id,
    from studied
    inner join verdicts
        on studied.history = verdicts.benchmark
        and studied.quality_set = verdicts.prediction_set
    where studied.history_kind = 'benchmark' and verdicts.is_right

),

skeleton_words as (

    select
        history,
        history_query_id,
        list_distinct({{ skeleton_tokens('full_skeleton') }}) as words,
    from scripts

),

preliminary_words as (

    select
        *,
        list_distinct({{ skeleton_tokens('full_skeleton') }}) as words,
    from preliminary

),

dail_scripts as (

    select
        passed.task_set,
        passed.question_id,
        passed.encoder,
        passed.history_query_id,
        passed.query_position,
        passed.uses_questions,
        passed.masked_score as score,
    from passed
    inner join retrievers on retrievers.retriever = 'dail'
    left join preliminary_words
        on passed.task_set = preliminary_words.task_set
        and passed.question_id = preliminary_words.question_id
        and passed.encoder = preliminary_words.encoder
        and passed.uses_questions = preliminary_words.uses_questions
    inner join skeleton_words
        on passed.history = skeleton_words.history
        and passed.history_query_id = skeleton_words.history_query_id
    where
        passed.masked_score >= passed.lowest_threshold
        -- An answer that cannot be read is like all.
        and coalesce(
            len(list_intersect(preliminary_words.words, skeleton_words.words))
            >= retrievers.skeleton_similarity * len(list_distinct(preliminary_words.words || skeleton_words.words)),
            true
        )

),

scored as (

    select
        task_set,
        question_id,
        encoder,
        history_query_id,
        query_position,
        uses_questions,
        lowest_threshold,
        unnest([
            { 'retriever': 'qs', 'score': question_score },
            { 'retriever': 'mqs', 'score': masked_score },
            { 'retriever': 'mqs_qs', 'score': greatest(question_score, masked_score) },
            { 'retriever': 'q', 'score': greatest(question_score, description_score) },
        ], recursive := true),
    from passed

    union all by name

    select
        passed.task_set,
        passed.question_id,
        passed.encoder,
        passed.history_query_id,
        passed.query_position,
        passed.uses_questions,
        passed.lowest_threshold,
        'mqs_filter' as retriever,
        passed.masked_score as score,
    from passed
    inner join right_answered
        on passed.task_set = right_answered.task_set
        and passed.history_query_id = right_answered.history_query_id

    union all by name

    select
        *,
        0 as lowest_threshold,
        'dail' as retriever,
    from dail_scripts

),

ranked as (

    select
        scored.task_set,
        scored.question_id,
        scored.encoder,
        scored.retriever,
        scored.uses_questions,
        scored.history_query_id,
        scored.score,
        row_number() over (
            partition by
                scored.task_set, scored.question_id, scored.encoder, scored.retriever, scored.uses_questions
            order by scored.score desc, scored.query_position asc, scored.history_query_id asc
        ) as rank,
        retrievers.n_most,
    from scored
    inner join retrievers on scored.retriever = retrievers.retriever
    where scored.score >= scored.lowest_threshold

),

kept as (

    select * exclude (n_most) from ranked
    where rank <= n_most

)

select * from kept
