with

runs as (

    select * from {{ ref('task_runs') }}

),

seeds as (

    select * from {{ ref('task_seeds') }}

),

planned as (

    select * from {{ ref('stg_task_requests') }}

),

drafts as (

    select * from {{ ref('task_drafts') }}

),

verdicts as (

    select * from {{ ref('task_verdicts') }}

),

templates as (

    select * from {{ ref('task_templates') }}

),

dialects as (

    select * from {{ ref('dialects') }}

),

schema_ddl as (

    select * from {{ ref('schema_ddl') }}

),

schema_hints as (

    select * from {{ ref('schema_hints') }}

),

questions as (

    select * from {{ ref('questions') }}

),

offers as (

    select
        history,
        schema_benchmark,
        draft_number,
        db_id,
        dialect,
        list(history_query_id order by offer_number) as history_query_ids,
    from seeds
    group by history, schema_benchmark, draft_number, db_id, dialect

),

new_drafts as (

    select
        runs.task_run_id,
        runs.benchmark,
        runs.model,
        runs.settings,
        offers.draft_number,
        0 as revision,
        'generate_task' as purpose,
        offers.schema_benchmark,
        offers.history,
        offers.db_id,
        offers.dialect,
        offers.history_query_ids,
        list_transform(range(1, len(offers.history_query_ids) + 1), lambda number: number::bigint) as shown_numbers,
        null::integer as of_revision,
    from runs
    inner join offers
        on runs.history = offers.history
        and runs.schema_benchmark = offers.schema_benchmark
        and runs.n_drafts >= offers.draft_number

),

next_steps as (

    select
        runs.task_run_id,
        runs.benchmark,
        runs.model,
        runs.settings,
        drafts.draft_number,
        drafts.revision + if(verdicts.verdict = 'to_fix', 1, 0) as revision,
        if(verdicts.verdict = 'to_fix', 'fix_task', 'validate_task') as purpose,
        drafts.schema_benchmark,
        drafts.history,
        drafts.db_id,
        drafts.dialect,
        drafts.history_query_ids,
        -- The validator is shown what the draft says it took.
        case
            when len(drafts.used_query_ids) > 0
                then list_filter(
                    drafts.used_numbers, lambda number: number between 1 and len(drafts.history_query_ids)
                )
            else list_transform(range(1, len(drafts.history_query_ids) + 1), lambda number: number::bigint)
        end as shown_numbers,
        drafts.revision as of_revision,
    from verdicts
    inner join drafts
        on verdicts.task_run_id = drafts.task_run_id
        and verdicts.draft_number = drafts.draft_number
        and verdicts.revision = drafts.revision
    inner join runs on drafts.task_run_id = runs.task_run_id
    where verdicts.verdict in ('to_validate', 'to_fix')

),

due as (

    select
        *,
        concat_ws(' ', task_run_id, draft_number, revision, purpose) as prompt_key,
    from (
        select * from new_drafts
        union all
        select * from next_steps
    ) as steps
    where not exists (
        select 1 from planned
        where
            planned.task_run_id = steps.task_run_id
            and planned.draft_number = steps.draft_number
            and planned.revision = steps.revision
            and planned.purpose = steps.purpose
    )

),

-- What a past query is shown as.

shown as (

    select
        prompt_key,
        history,
        number,
        history_query_ids[number] as history_query_id,
    from (
        select
            *,
            unnest(shown_numbers) as number,
        from due
        where purpose <> 'fix_task'
    ) as numbered

),

component_lines as (

    select
        history,
        history_query_id,
        string_agg(line, chr(10) order by first_number) as components_text,
    from (
        select
            history,
            history_query_id,
            concat('- ', knowledge_type, ': ', {{ one_line('sql_substring') }}) as line,
            min(component_number) as first_number,
        from {{ ref('script_components') }}
        where
            knowledge_type <> 'full_sql'
            and history_query_id in (select shown.history_query_id from shown)
        group by history, history_query_id, line
    ) as lines
    group by history, history_query_id

),

script_texts as (

    select
        shown.prompt_key,
        string_agg(
            concat_ws(
                chr(10),
                concat('Query ', shown.number),
                'Question: ' || {{ one_line('queries.question') }},
                'Evidence: ' || {{ one_line('questions.evidence') }},
                'SQL:',
                trim(queries.sql, e' \n\r\t'),
                'Components:' || chr(10) || component_lines.components_text
            ),
            chr(10) || chr(10) order by shown.number
        ) as scripts,
    from shown
    inner join {{ ref('history_queries') }} as queries
        on shown.history = queries.history
        and shown.history_query_id = queries.history_query_id
    left join component_lines
        on shown.history = component_lines.history
        and shown.history_query_id = component_lines.history_query_id
    left join questions
        on queries.history_kind = 'benchmark'
        and queries.history = questions.benchmark
        and queries.history_query_id = questions.question_id
    group by shown.prompt_key

),

-- What is said of a draft.

findings as (

    select
        task_run_id,
        draft_number,
        revision,
        string_agg(concat('- ', finding, ' (', severity, ')'), chr(10) order by position) as findings,
    from {{ ref('task_checks') }}
    where not is_passed
    group by task_run_id, draft_number, revision

),

issues as (

    select
        task_run_id,
        draft_number,
        revision,
        is_read,
        recommendations,
        nullif(
            array_to_string(
                list_transform(
                    issues,
                    lambda issue: concat(
                        '- ', issue.rule, coalesce(': ' || issue.explanation, ''), ' (', issue.severity, ')'
                    )
                ),
                chr(10)
            ),
            ''
        ) as issues,
    from {{ ref('task_validations') }}

),

told as (

    select
        due.prompt_key,
        drafts.question,
        drafts.evidence,
        trim(drafts.sql, e' \n\r\t') as sql,
        drafts.response_text,
        coalesce(
            results.feedback,
            case drafts.reason
                when 'cut_off' then 'Nothing was run: your answer was cut off at the limit of its length.'
                when 'empty' then 'Nothing was run: your answer was empty.'
                when 'no_json' then 'Nothing was run: there is no JSON object in your answer.'
                when 'no_question' then 'Nothing was run: your answer has no question.'
                when 'no_sql' then 'Nothing was run: your answer has no SQL.'
                when 'no_queries' then 'Nothing was run: your answer does not say which past queries you took.'
            end
        ) as feedback,
        findings.findings,
        coalesce(
            issues.issues,
            case when not issues.is_read then '- The review could not be read.' end
        ) as issues,
        issues.recommendations,
    from due
    inner join drafts
        on due.task_run_id = drafts.task_run_id
        and due.draft_number = drafts.draft_number
        and due.of_revision = drafts.revision
    left join {{ ref('draft_results') }} as results on drafts.statement_id = results.statement_id
    left join findings
        on due.task_run_id = findings.task_run_id
        and due.draft_number = findings.draft_number
        and due.of_revision = findings.revision
    left join issues
        on due.task_run_id = issues.task_run_id
        and due.draft_number = issues.draft_number
        and due.of_revision = issues.revision

),

informed as (

    select
        due.*,
        templates.system_template,
        templates.user_template,
        coalesce(dialects.label, due.dialect, 'standard SQL') as dialect_label,
        schema_ddl.ddl as schema_ddl,
        schema_hints.value_hints,
        script_texts.scripts,
        told.question,
        told.evidence,
        told.sql,
        told.response_text,
        told.feedback,
        if(
            due.purpose = 'validate_task',
            coalesce(told.findings, '- Nothing is amiss in what can be measured.'),
            told.findings
        ) as findings,
        told.issues,
        told.recommendations,
        first_requests.messages as first_messages,
    from due
    inner join templates on due.purpose = templates.purpose
    left join dialects on due.dialect = dialects.dialect
    left join schema_ddl
        on due.purpose = 'generate_task'
        and due.schema_benchmark = schema_ddl.benchmark
        and due.db_id = schema_ddl.db_id
        and due.dialect is not distinct from schema_ddl.dialect
    left join schema_hints
        on due.purpose = 'generate_task'
        and due.schema_benchmark = schema_hints.benchmark
        and due.db_id = schema_hints.db_id
        and due.dialect is not distinct from schema_hints.dialect
    left join script_texts on due.prompt_key = script_texts.prompt_key
    left join told on due.prompt_key = told.prompt_key
    left join planned as first_requests
        on due.purpose = 'fix_task'
        and due.task_run_id = first_requests.task_run_id
        and due.draft_number = first_requests.draft_number
        and first_requests.purpose = 'generate_task'

),

filled as (

    {% set values = {
        'dialect': 'dialect_label',
        'schema_ddl': 'schema_ddl',
        'value_hints': 'value_hints',
        'scripts': 'scripts',
        'question': 'question',
        'evidence': 'evidence',
        'sql': 'sql',
        'feedback': 'feedback',
        'findings': 'findings',
        'issues': 'issues',
        'recommendations': 'recommendations',
    } -%}
    select
        *,
        {{ filled_template('system_template', values) }} as system_text,
        {{ filled_template('user_template', values) }} as user_text,
    from informed

),

worded as (

    -- A fix goes on from the conversation that gave the draft, with its latest revision for an answer.
    select
        *,
        to_json(
            list_concat(
                case
                    when purpose = 'fix_task'
                        then list_concat(
                            from_json(first_messages, '[{"role": "VARCHAR", "content": "VARCHAR"}]'),
                            [struct_pack(
                                role := 'assistant',
                                content := coalesce(nullif(trim(left(response_text, 20000)), ''), '(no answer)')
                            )]
                        )
                    else [struct_pack(role := 'system', content := system_text)]
                end,
                [struct_pack(role := 'user', content := user_text)]
            )
        )::varchar as messages,
    from filled

),

keyed as (

    select
        md5(concat_ws(chr(31), purpose, messages, model, settings, 1)) as request_id,
        task_run_id,
        benchmark,
        draft_number,
        revision,
        purpose,
        model,
        settings,
        messages,
        schema_benchmark,
        history,
        db_id,
        history_query_ids,
    from worded

)

select * from keyed
