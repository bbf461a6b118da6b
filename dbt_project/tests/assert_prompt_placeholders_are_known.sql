-- A placeholder that nothing fills would be sent to the model as it stands. A cell shows the schema that its budget
-- leaves, a prompt setting the whole database's: neither takes what the other shows.
with

templates as (

    select
        setting,
        concat(system_template, chr(10), user_template) as template,
        ['{dialect}', '{schema_ddl}', '{join_hints}', '{value_hints}', '{schema_notes}', '{evidence}', '{question}'] as filled,
    from {{ ref('prompt_settings') }}

    union all

    select
        study as setting,
        concat(system_template, chr(10), user_template) as template,
        ['{dialect}', '{schema_text}', '{evidence}', '{question}'] as filled,
    from {{ ref('study_prompts') }}

),

placeholders as (

    select
        setting,
        filled,
        unnest(regexp_extract_all(template, '\{[a-z_]+\}')) as placeholder,
    from templates

)

select
    setting,
    placeholder,
from placeholders
where not list_contains(filled, placeholder)
