-- A placeholder that nothing fills would be sent to the model as it stands.
with

placeholders as (

    select
        setting,
        unnest(regexp_extract_all(concat(system_template, chr(10), user_template), '\{[a-z_]+\}')) as placeholder,
    from {{ ref('prompt_settings') }}

    union all

    select
        study as setting,
        unnest(regexp_extract_all(concat(system_template, chr(10), user_template), '\{[a-z_]+\}')) as placeholder,
    from {{ ref('study_prompts') }}

)

select * from placeholders
where
    placeholder not in (
        '{dialect}', '{schema_ddl}', '{join_hints}', '{value_hints}', '{schema_text}', '{evidence}', '{question}'
    )
