with

studied as (

    select * from {{ ref('history_benchmarks') }}

),

asked as (

    select * from {{ ref('history_questions') }}

),

scripts as (

    select * from {{ ref('history_queries') }}
    where status = 'kept'

),

descriptions as (

    select * from {{ ref('script_descriptions') }}

),

tables as (

    select * from {{ ref('tables') }}

),

columns as (

    select * from {{ ref('columns') }}

),

function_words as (

    select * from {{ ref('function_words') }}
    where kind = 'function'

),

schemas as (

    select distinct
        history,
        schema_benchmark,
    from studied

),

names as (

    select
        benchmark,
        db_id,
        concat_ws(' ', table_name, natural_name) as name,
    from tables
    union all
    select
        benchmark,
        db_id,
        concat_ws(' ', column_name, natural_name) as name,
    from columns

),

name_words as (

    select
        names.benchmark,
        names.db_id,
        unnest({{ name_terms('names.name') }}) as word,
    from names
    semi join schemas on names.benchmark = schemas.schema_benchmark

),

schema_words as (

    select distinct
        benchmark,
        db_id,
        {{ singular('word') }} as word,
    from name_words
    where
        len(word) > 1
        and word not in (select function_words.word from function_words)

),

texts as (

    select
        'task' as source,
        asked.task_set as pool,
        asked.question_id as id,
        asked.db_id,
        studied.schema_benchmark,
        asked.question,
    from asked
    inner join studied on asked.task_set = studied.task_set
    where asked.question is not null

    union all

    select
        'script' as source,
        history as pool,
        history_query_id as id,
        db_id,
        schema_benchmark,
        question,
    from scripts
    where question is not null

    union all

    select
        'description' as source,
        descriptions.history as pool,
        descriptions.history_query_id as id,
        descriptions.db_id,
        schemas.schema_benchmark,
        descriptions.description as question,
    from descriptions
    inner join schemas on descriptions.history = schemas.history

),

split as (

    select
        *,
        {{ prose_tokens('question') }} as tokens,
    from texts

),

tokens as (

    select
        source,
        pool,
        id,
        db_id,
        schema_benchmark,
        unnest(tokens) as token,
        generate_subscripts(tokens, 1) as place,
    from split

),

worded as (

    select
        *,
        regexp_replace(lower(token), 'n''t$|''.*$', '') as word,
        coalesce(lag(token) over (text_order) in ('.', '?', '!', ':', ';'), true) as is_first,
    from tokens
    window text_order as (partition by source, pool, id order by place)

),

kinds as (

    select
        worded.*,
        case
            when worded.token like '"%' or regexp_matches(worded.token, '\p{N}') then 'value'
            when schema_words.word is not null then 'name'
            when
                function_words.word is null
                and not worded.is_first
                and regexp_matches(worded.token, '^\p{Lu}')
                then 'value'
        end as kind,
    from worded
    left join schema_words
        on worded.schema_benchmark = schema_words.benchmark
        and worded.db_id = schema_words.db_id
        and {{ singular('worded.word') }} = schema_words.word
    left join function_words on worded.word = function_words.word

),

mentions as (

    -- Neighbours of one kind are one mention.
    select
        *,
        coalesce(kind = lag(kind) over (partition by source, pool, id order by place), false) as goes_on,
    from kinds

),

masked as (

    select
        source,
        pool,
        id,
        db_id,
        string_agg(coalesce('[' || kind || ']', token), ' ' order by place) as masked_question,
    from mentions
    where not goes_on
    group by source, pool, id, db_id

),

paired as (

    select
        texts.source,
        texts.pool,
        texts.id,
        texts.db_id,
        texts.question,
        masked.masked_question,
    from texts
    inner join masked
        on texts.source = masked.source
        and texts.pool = masked.pool
        and texts.id = masked.id

)

select * from paired
