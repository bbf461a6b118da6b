with

answers as (

    select * from {{ ref('history_answers') }}
    where purpose = 'extract_keywords' and answer is not null

),

listed as (

    select
        task_set,
        subject_id as question_id,
        model,
        coalesce(try_cast(json_extract(answer, '$.keywords') as json[]), []) as keywords,
    from answers

),

unnested as (

    select
        task_set,
        question_id,
        model,
        unnest(keywords) as found,
        generate_subscripts(keywords, 1) as place,
    from listed

),

worded as (

    select
        task_set,
        question_id,
        model,
        place,
        {{ one_line("(found ->> '$')") }} as keyword,
    from unnested
    where json_type(found) = 'VARCHAR'

),

once as (

    select
        task_set,
        question_id,
        model,
        min(place) as place,
        arg_min(keyword, place) as keyword,
    from worded
    where keyword is not null
    group by task_set, question_id, model, lower(keyword)

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
        model as made_by,
    from once

)

select * from numbered
where keyword_number <= 8
