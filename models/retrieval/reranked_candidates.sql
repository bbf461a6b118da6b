with

answers as (

    select * from {{ ref('history_answers') }}
    where purpose = 'filter_rerank' and answer is not null

),

allowed as (

    select distinct
        task_set,
        question_id,
        history_query_id,
    from {{ ref('script_similarities') }}

),

listed as (

    select
        task_set,
        retriever,
        uses_questions,
        subject_id as question_id,
        model,
        coalesce(
            try_cast(offered as struct(history_query_id varchar, item_ids varchar[])[]), []
        ) as candidates,
        coalesce(try_cast(json_extract(answer, '$.queries') as json[]), []) as chosen,
    from answers

),

unnested as (

    select
        task_set,
        retriever,
        uses_questions,
        question_id,
        model,
        candidates,
        unnest(chosen) as choice,
        generate_subscripts(chosen, 1) as place,
    from listed

),

picked as (

    select
        task_set,
        retriever,
        uses_questions,
        question_id,
        model,
        place,
        try_cast(choice ->> '$.query' as integer) as candidate_number,
        if(candidate_number > 0, candidates[candidate_number], null) as candidate,
        coalesce(try_cast(choice ->> '$.use_all' as boolean), false) as use_all,
        case when json_type(choice, '$.components') = 'ARRAY'
            then coalesce(try_cast(choice -> '$.components' as integer[]), []) else [] end as component_numbers,
    from unnested
    where json_type(choice) = 'OBJECT'

),

matched as (

    -- A number that stands for nothing chooses nothing.
    select
        task_set,
        retriever,
        uses_questions,
        question_id,
        model,
        place,
        candidate.history_query_id as history_query_id,
        use_all,
        list_sort(list_distinct(list_filter(
            component_numbers, lambda number: number between 1 and len(candidate.item_ids)
        ))) as component_numbers,
        candidate.item_ids as item_ids,
    from picked
    -- What could be retrieved when it was asked may since be left out, or later than the study's time.
    semi join allowed
        on picked.task_set = allowed.task_set
        and picked.question_id = allowed.question_id
        and picked.candidate.history_query_id = allowed.history_query_id

),

useful as (

    select * from matched
    where use_all or len(component_numbers) > 0
    qualify row_number() over (
        partition by task_set, retriever, uses_questions, question_id, history_query_id
        order by place
    ) = 1

),

ranked as (

    -- Places are counted once repetitions are gone: each leaves no gap, and takes no other's place.
    select
        task_set,
        retriever,
        uses_questions,
        question_id,
        row_number() over (
            partition by task_set, retriever, uses_questions, question_id
            order by place
        ) as rank,
        history_query_id,
        use_all,
        if(use_all, [], component_numbers) as component_numbers,
        list_sort(list_distinct(if(
            use_all,
            item_ids,
            list_transform(component_numbers, lambda number: item_ids[number])
        ))) as item_ids,
        model as made_by,
    from useful

)

select * from ranked
