with

histories as (

    select distinct
        history,
        schema_benchmark,
    from {{ ref('history_benchmarks') }}

),

items as (

    select * from {{ ref('knowledge_items') }}

),

phrases as (

    select * from {{ ref('skeleton_phrases') }}

),

told as (

    select
        items.history,
        items.db_id,
        items.item_id,
        items.knowledge_type,
        phrases.phrase,
        phrases.column_names,
        phrases.spelled_names,
        phrases.table_names,
        array_to_string(
            if(len(phrases.column_names) > 0, phrases.column_names, phrases.table_names), ', '
        ) as subject,
    from items
    inner join histories on items.history = histories.history
    inner join phrases
        on histories.schema_benchmark = phrases.benchmark
        and items.db_id = phrases.db_id
        and items.skeleton = phrases.skeleton

),

described as (

    select
        history,
        db_id,
        item_id,
        coalesce(nullif(subject, ''), phrase) as name,
        list_filter(
            spelled_names,
            lambda spelled: not list_contains(list_transform(column_names, lambda name: lower(name)), spelled)
        ) as aliases,
        case
            when knowledge_type = 'relation' and len(table_names) > 1
                then concat(
                    'join ',
                    array_to_string(table_names, ' with '),
                    ' on ' || nullif(array_to_string(column_names, ', '), '')
                )
            when knowledge_type = 'output' and regexp_matches(phrase, '^sorted by .* descending only the first')
                then concat(
                    'highest ',
                    regexp_extract(phrase, '^sorted by (.*?) descending', 1),
                    ', only the first records'
                )
            when knowledge_type = 'output' and regexp_matches(phrase, '^sorted by .* only the first')
                then concat(
                    'lowest ',
                    regexp_extract(phrase, '^sorted by (.*?)(?: ascending)? only the first', 1),
                    ', only the first records'
                )
            when knowledge_type = 'output' and starts_with(phrase, 'only the first')
                then 'only the first records'
            when knowledge_type = 'calculation' and regexp_matches(phrase, '(times|divided by) .*(times|divided by)')
                then 'percentage: ' || phrase
            when knowledge_type = 'dimension' then phrase
            else regexp_replace(phrase, '^show ', '')
        end as description,
    from told

)

select * from described
