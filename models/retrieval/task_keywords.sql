with

tasks as (

    select * from {{ ref('history_tasks') }}

),

function_words as (

    select * from {{ ref('function_words') }}

),

split as (

    select
        task_set,
        question_id,
        {{ prose_tokens('question') }} as tokens,
    from tasks

),

tokens as (

    select
        task_set,
        question_id,
        unnest(tokens) as token,
        generate_subscripts(tokens, 1) as place,
    from split

),

words as (

    select
        tokens.*,
        function_words.kind,
        regexp_matches(tokens.token, '[\p{L}\p{N}]') as is_word,
        tokens.token in ('.', '?', '!', ';') as is_end,
    from tokens
    left join function_words on regexp_replace(lower(tokens.token), 'n''t$|''.*$', '') = function_words.word

),

sentences as (

    select
        *,
        coalesce(
            count(*) filter (where is_end) over (
                partition by task_set, question_id
                order by place
                rows between unbounded preceding and 1 preceding
            ), 0
        ) as sentence,
    from words

),

openings as (

    select
        *,
        min(place) filter (where is_word and kind is null) over (
            partition by task_set, question_id, sentence
        ) as first_content_place,
    from sentences

),

told as (

    -- What asks for an answer is none of it: `list`, `name` and their like before a sentence has said anything else.
    select
        *,
        is_word and (kind is null or (kind = 'request' and place > first_content_place)) as is_content,
    from openings

),

runs as (

    select
        *,
        sum(if(is_content, 0, 1)) over (
            partition by task_set, question_id
            order by place
            rows between unbounded preceding and current row
        ) as run,
    from told

),

phrases as (

    select
        task_set,
        question_id,
        min(place) as place,
        count(*) as n_words,
        string_agg(trim(token, '"'), ' ' order by place) as keyword,
    from runs
    where is_content
    group by task_set, question_id, run

),

distinct_phrases as (

    select
        task_set,
        question_id,
        min(place) as place,
        max(n_words) as n_words,
        arg_min(keyword, place) as keyword,
    from phrases
    group by task_set, question_id, lower(keyword)

),

most_telling as (

    select * from distinct_phrases
    qualify row_number() over (
        partition by task_set, question_id
        order by n_words desc, place asc
    ) <= 8

),

numbered as (

    select
        task_set,
        question_id,
        row_number() over (
            partition by task_set, question_id
            order by place
        ) as keyword_number,
        keyword,
        'rules' as made_by,
    from most_telling

),

chosen as (

    select * from {{ ref('extracted_keywords') }}
    union all
    select * from numbered
    where (task_set, question_id) not in (
        select (extracted.task_set, extracted.question_id) from {{ ref('extracted_keywords') }} as extracted
    )

)

select * from chosen
