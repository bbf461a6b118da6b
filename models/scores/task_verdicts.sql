{#- How often a draft is revised before it is given up (BIRD-History, section 3.3.1). -#}
{% set n_revisions = 3 -%}

with

drafts as (

    select * from {{ ref('task_drafts') }}

),

results as (

    select * from {{ ref('draft_results') }}

),

validations as (

    select * from {{ ref('task_validations') }}

),

failed as (

    select
        task_run_id,
        draft_number,
        revision,
        count(*) filter (where severity = 'major') as n_failed_major,
        count(*) filter (where severity = 'minor') as n_failed_minor,
    from {{ ref('task_checks') }}
    where not is_passed
    group by task_run_id, draft_number, revision

),

judged as (

    select
        drafts.task_run_id,
        drafts.benchmark,
        drafts.draft_number,
        drafts.revision,
        drafts.is_read,
        drafts.reason,
        results.statement_id is not null as is_run,
        coalesce(failed.n_failed_major, 0) as n_failed_major,
        coalesce(failed.n_failed_minor, 0) as n_failed_minor,
        validations.request_id is not null as is_validated,
        validations.is_passed as is_passed_by_validator,
        row_number() over (
            partition by drafts.task_run_id, drafts.draft_number
            order by drafts.revision desc
        ) = 1 as is_latest,
    from drafts
    left join results on drafts.statement_id = results.statement_id
    left join failed
        on drafts.task_run_id = failed.task_run_id
        and drafts.draft_number = failed.draft_number
        and drafts.revision = failed.revision
    left join validations
        on drafts.task_run_id = validations.task_run_id
        and drafts.draft_number = validations.draft_number
        and drafts.revision = validations.revision

),

decided as (

    -- A verdict of the validator that cannot be read is no acceptance.
    select
        *,
        case
            when not is_latest then 'revised'
            when is_read and not is_run then 'to_run'
            when is_read and not is_validated then 'to_validate'
            when is_read and n_failed_major = 0 and coalesce(is_passed_by_validator, false) then 'accepted'
            when revision < {{ n_revisions }} then 'to_fix'
            else 'rejected'
        end as verdict,
    from judged

)

select * from decided
