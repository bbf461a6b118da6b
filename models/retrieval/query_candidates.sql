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

-- Numbers stand for searches and scripts, in the order that ties are broken in: pairs of them are many.
searches as (

    {{ numbered_searches('similarities') }}

),

numbered_scripts as (

    {{ numbered_scripts('similarities') }}

),

measured as (

    select
        searches.search_number,
        numbered_scripts.script_number,
        if(searches.uses_questions, similarities.qs, similarities.description_score) as question_score,
        if(searches.uses_questions, similarities.mqs, similarities.masked_description_score) as masked_score,
        similarities.description_score,
    from similarities
    inner join searches
        on similarities.task_set = searches.task_set
        and similarities.question_id = searches.question_id
        and similarities.encoder = searches.encoder
    inner join numbered_scripts
        on similarities.history = numbered_scripts.history
        and similarities.history_query_id = numbered_scripts.history_query_id

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
        searches.search_number,
        numbered_scripts.script_number,
    from studied
    inner join verdicts
        on studied.history = verdicts.benchmark
        and studied.quality_set = verdicts.prediction_set
    inner join searches on studied.task_set = searches.task_set
    inner join numbered_scripts
        on verdicts.benchmark = numbered_scripts.history
        and verdicts.question_id = numbered_scripts.history_query_id
    where studied.history_kind = 'benchmark' and verdicts.is_right

),

skeleton_words as (

    select
        numbered_scripts.script_number,
        list_distinct({{ skeleton_tokens('scripts.full_skeleton') }}) as words,
    from scripts
    inner join numbered_scripts
        on scripts.history = numbered_scripts.history
        and scripts.history_query_id = numbered_scripts.history_query_id

),

preliminary_words as (

    select
        searches.search_number,
        list_distinct({{ skeleton_tokens('preliminary.full_skeleton') }}) as words,
    from preliminary
    inner join searches
        on preliminary.task_set = searches.task_set
        and preliminary.question_id = searches.question_id
        and preliminary.encoder = searches.encoder
        and preliminary.uses_questions = searches.uses_questions

),

dail_words as (

    select
        passed.search_number,
        passed.script_number,
        passed.masked_score,
        len(preliminary_words.words) as n_preliminary,
        len(skeleton_words.words) as n_words,
        len(list_intersect(preliminary_words.words, skeleton_words.words)) as n_shared,
    from passed
    left join preliminary_words on passed.search_number = preliminary_words.search_number
    inner join skeleton_words on passed.script_number = skeleton_words.script_number
    where passed.masked_score >= passed.lowest_threshold

),

dail_scripts as (

    select
        dail_words.search_number,
        dail_words.script_number,
        dail_words.masked_score as score,
    from dail_words
    inner join retrievers on retrievers.retriever = 'dail'
    where
        -- Of all their words; an answer that cannot be read is like all.
        coalesce(
            dail_words.n_shared
            >= retrievers.skeleton_similarity
            * (dail_words.n_preliminary + dail_words.n_words - dail_words.n_shared),
            true
        )

),

scored as (

    select
        search_number,
        script_number,
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
        passed.search_number,
        passed.script_number,
        passed.lowest_threshold,
        'mqs_filter' as retriever,
        passed.masked_score as score,
    from passed
    semi join right_answered
        on passed.search_number = right_answered.search_number
        and passed.script_number = right_answered.script_number

    union all by name

    select
        *,
        0 as lowest_threshold,
        'dail' as retriever,
    from dail_scripts

),

ranked as (

    select
        scored.retriever,
        scored.search_number,
        scored.script_number,
        scored.score,
        row_number() over (
            partition by scored.retriever, scored.search_number
            order by scored.score desc, scored.script_number asc
        ) as rank,
    from scored
    inner join retrievers on scored.retriever = retrievers.retriever
    where scored.score >= scored.lowest_threshold
    qualify rank <= retrievers.n_most

),

named as (

    select
        searches.task_set,
        searches.question_id,
        searches.encoder,
        ranked.retriever,
        searches.uses_questions,
        numbered_scripts.history_query_id,
        ranked.score,
        ranked.rank,
    from ranked
    inner join searches on ranked.search_number = searches.search_number
    inner join numbered_scripts on ranked.script_number = numbered_scripts.script_number

)

select * from named
