with

texts as (

    select * from {{ ref('namespaced_texts') }}

),

table_places as (

    select * from {{ ref('table_places') }}

),

tables_read as (

    select * from {{ ref('tables_read') }}

),

spelled as (

    select
        text_id,
        name,
        {% for name in ['prefixed_name', 'bare_name'] -%}
        case when regexp_full_match({{ name }}, '[A-Za-z_][A-Za-z0-9_]*') then {{ name }}
            else '"' || replace({{ name }}, '"', '""') || '"' end as {{ name }},
        {% endfor -%}
        lower(bare_name) = name as is_bare_already,
    from tables_read
    where table_key is not null

),

places as (

    select
        texts.text_id,
        texts.sql,
        unnest(table_places.places) as place,
    from texts
    inner join table_places on texts.sql_id = table_places.sql_id
    where texts.naming <> 'prefixed'

),

located as (

    select
        places.text_id,
        place.kind,
        place.first_character,
        place.last_character,
        places.sql[place.first_character:place.last_character] as whole_name,
        places.sql[place.own_character:place.last_character] as own_name,
        places.sql[
            coalesce(lag(place.last_character) over (partition by places.text_id order by place.first_character), 0) + 1
            :place.first_character - 1
        ] as text_before,
        spelled.prefixed_name,
        spelled.bare_name,
        spelled.is_bare_already,
    from places
    left join spelled
        on places.text_id = spelled.text_id
        and place.table_key = spelled.name

),

respelled as (

    -- A table without an alias is called as before by an alias; a schema before a column would hide it.
    select
        *,
        case
            when prefixed_name is null then whole_name
            when kind = 'table' then prefixed_name || ' AS ' || own_name
            when kind = 'qualifier' then own_name
            else prefixed_name
        end as prefixed_text,
        case
            when bare_name is null or is_bare_already then whole_name
            when kind = 'table' then bare_name || ' AS ' || own_name
            when kind = 'qualifier' then own_name
            else bare_name
        end as bare_text,
    from located

),

spliced as (

    select
        text_id,
        string_agg(text_before || prefixed_text, '' order by first_character) as prefixed_head,
        string_agg(text_before || bare_text, '' order by first_character) as bare_head,
        max(last_character) as last_character,
    from respelled
    group by text_id

),

unknown as (

    select
        text_id,
        list(name order by name) as unknown_names,
    from tables_read
    where table_key is null
    group by text_id

),

rewritten as (

    select
        texts.text_id,
        texts.benchmark,
        texts.naming,
        texts.db_id,
        texts.engine,
        texts.dialect,
        texts.sql_id,
        coalesce(spliced.prefixed_head, '') || texts.sql[coalesce(spliced.last_character, 0) + 1:] as union_sql,
        case when texts.naming = 'own'
            then coalesce(spliced.bare_head, '') || texts.sql[coalesce(spliced.last_character, 0) + 1:] end as bare_sql,
        coalesce(unknown.unknown_names, []) as unknown_names,
        case
            when table_places.parse_outcome <> 'parsed' then table_places.parse_outcome
            when unknown.text_id is not null then 'unknown_table'
            when len(list_filter(
                table_places.names,
                lambda name: not list_contains(list_transform(table_places.places, lambda place: place.table_key), name)
            )) > 0 then 'without_place'
        end as problem,
    from texts
    inner join table_places on texts.sql_id = table_places.sql_id
    left join spliced on texts.text_id = spliced.text_id
    left join unknown on texts.text_id = unknown.text_id

)

select
    *,
    {{ sql_id('dialect', 'union_sql') }} as union_sql_id,
from rewritten
