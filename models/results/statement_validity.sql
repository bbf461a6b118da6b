{{ config(
    materialized='incremental',
    incremental_strategy='delete+insert',
    unique_key='sql_id',
) }}

with

predictions as (

    select distinct
        sql_id,
        dialect,
        predicted_sql as sql,
        statement_id,
    from {{ ref('predictions') }}
    where sql_id is not null and namespace is null

),

outcomes as (

    select * from {{ ref('statement_outcomes') }}

),

texts as (

    -- What has a result is valid where it ran; only of Oracle's texts is asked from which version on.
    select distinct
        predictions.sql_id,
        predictions.dialect,
        predictions.sql,
    from predictions
    left join outcomes on predictions.statement_id = outcomes.statement_id
    where
        predictions.dialect = 'oracle'
        or outcomes.outcome in ('failed', 'refused')

),

unread as (

    select * from texts
    {% if is_incremental() -%}
    where not exists (
        select 1 from {{ this }} as read_before
        where
            read_before.sql_id = texts.sql_id
            and read_before.validity_version = sql_validity_version()
    )
    {%- endif %}

),

read as (

    select
        sql_id,
        dialect,
        sql_validity(sql, dialect) as validity,
    from unread

)

select
    sql_id,
    dialect,
    validity.valid_in,
    validity.oracle_versions,
    sql_validity_version() as validity_version,
from read
