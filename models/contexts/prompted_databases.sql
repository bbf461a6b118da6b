with

run_questions as (

    select * from {{ ref('run_questions') }}
    where not is_control

),

settings as (

    -- Those that show anything of the schema.
    select * from {{ ref('prompt_settings') }}
    where regexp_matches(concat(system_template, user_template), '\{(schema_ddl|join_hints|value_hints)\}')

),

dialects as (

    select * from {{ ref('dialects') }}

),

reserved as (

    select list(word order by word) as words from {{ ref('reserved_words') }}

),

shown as (

    select distinct
        run_questions.benchmark,
        run_questions.db_id,
        run_questions.dialect,
    from run_questions
    inner join settings on run_questions.setting = settings.setting

),

spelled as (

    -- An unknown dialect spells as the standard does.
    select
        shown.benchmark,
        shown.db_id,
        shown.dialect,
        coalesce(dialects.bare_name, '[A-Za-z_][A-Za-z0-9_]*') as bare_name,
        coalesce(dialects.open_quote, '"') as open_quote,
        coalesce(dialects.close_quote, '"') as close_quote,
        reserved.words as reserved_words,
    from shown
    cross join reserved
    left join dialects on shown.dialect = dialects.dialect

)

select * from spelled
