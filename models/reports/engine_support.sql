with

capabilities as (

    select * from {{ ref('engine_capabilities') }}

),

meanings as (

    select * from {{ ref('capabilities') }}

)

select
    meanings.position,
    meanings.capability,
    meanings.meaning,
    {% for engine in ['sqlite', 'duckdb', 'postgresql', 'mariadb', 'mysql', 'oracle', 'sqlserver', 'oracle-local', 'mssql-local'] -%}
    max(capabilities.mark) filter (where capabilities.engine = '{{ engine }}') as {{ engine | replace('-', '_') }},
    {% endfor -%}
from meanings
left join capabilities on meanings.capability = capabilities.capability
group by meanings.position, meanings.capability, meanings.meaning
order by meanings.position
