with

answers as (

    select * from {{ ref('task_answers') }}
    where purpose = 'validate_task'

),

picked as (

    select
        task_run_id,
        benchmark,
        draft_number,
        revision,
        request_id,
        case
            when reason is not null then reason
            when coalesce(json_type(answer, '$.pass'), '') <> 'BOOLEAN' then 'no_verdict'
        end as reason,
        case when json_type(answer, '$.pass') = 'BOOLEAN' then try((answer ->> '$.pass')::boolean) end as is_passed,
        case when json_type(answer, '$.issues') = 'ARRAY'
            then try(from_json(answer -> '$.issues', '["JSON"]')) end as read_issues,
        case when json_type(answer, '$.recommendations') = 'VARCHAR'
            then {{ one_line("try(answer ->> '$.recommendations')") }} end as recommendations,
    from answers

),

told as (

    select
        task_run_id,
        benchmark,
        draft_number,
        revision,
        request_id,
        reason is null as is_read,
        reason,
        is_passed,
        list_transform(
            list_filter(coalesce(read_issues, []), lambda issue: json_type(issue) = 'OBJECT'),
            lambda issue: struct_pack(
                rule := coalesce({{ one_line("try(issue ->> '$.rule')") }}, 'unnamed'),
                -- What is not called minor is taken seriously.
                severity := if(lower(coalesce(try(issue ->> '$.severity'), '')) = 'minor', 'minor', 'major'),
                explanation := {{ one_line("try(issue ->> '$.explanation')") }}
            )
        ) as issues,
        recommendations,
    from picked

)

select * from told
