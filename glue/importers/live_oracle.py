"""What Oracle's data dictionary is asked: ALL_TABLES and its kin. Written by the manual, notyet run."""

from __future__ import annotations

from glue.importers.live_shape import Ask, LiveCatalog

_TABLES = """
    from (
        select t.owner, t.table_name, 0 as is_view, t.num_rows
        from all_tables t
        where t.secondary = 'N' and t.nested = 'NO' and t.dropped = 'NO' and t.iot_name is null
        union all
        select v.owner, v.view_name, 1, null from all_views v
    ) t
    join all_users u on u.username = t.owner
    where u.oracle_maintained = 'N'
"""

_POWERS = """
select privilege, 'everywhere' from session_privs
where
    privilege like 'INSERT ANY%' or privilege like 'UPDATE ANY%' or privilege like 'DELETE ANY%'
    or privilege like 'CREATE%' or privilege like 'ALTER%' or privilege like 'DROP%'
    or privilege like 'EXECUTE ANY%' or privilege like 'GRANT ANY%' or privilege = 'UNLIMITED TABLESPACE'
union all
select p.privilege, p.table_schema || '.' || p.table_name from all_tab_privs p
where p.privilege in ('INSERT', 'UPDATE', 'DELETE', 'ALTER') and p.grantee in (
    select sys_context('userenv', 'session_user') from dual union all select role from session_roles
)
union all
select 'OWNER', user || '.' || table_name from user_tables
"""


def _powers(ask: Ask) -> list[str]:
    found = [
        f"{privilege} on {where}" if where != "everywhere" else privilege for privilege, where in ask(_POWERS)
    ]
    found = [what for what in found if what not in ("CREATE SESSION", "ALTER SESSION")]
    return found if len(found) <= 8 else [*found[:8], f"and {len(found) - 8} more"]


ORACLE = LiveCatalog(
    who="""
        select
            (select min(version) from product_component_version where product like 'Oracle%'),
            sys_context('userenv', 'session_user'),
            sys_context('userenv', 'service_name')
        from dual
    """,
    home_schemas="select sys_context('userenv', 'current_schema') from dual",
    schemas=f"select t.owner, count(*) {_TABLES} group by t.owner order by t.owner",
    tables=f"""
        select
            t.table_name,
            t.is_view,
            (
                select c.comments from all_tab_comments c
                where c.owner = t.owner and c.table_name = t.table_name
            ),
            t.num_rows
        {_TABLES} and t.owner = :schema
        order by t.table_name
    """,
    columns="""
        select
            c.table_name,
            c.column_name,
            case
                when c.data_type = 'NUMBER' and c.data_precision is not null
                    then 'NUMBER(' || c.data_precision || ',' || nvl(c.data_scale, 0) || ')'
                when c.data_type = 'NUMBER' and c.data_scale = 0 then 'INTEGER'
                when c.data_type in ('VARCHAR2', 'NVARCHAR2', 'CHAR', 'NCHAR')
                    then c.data_type || '(' || c.char_length || ')'
                when c.data_type = 'RAW' then 'RAW(' || c.data_length || ')'
                else c.data_type
            end,
            case c.nullable when 'Y' then 1 else 0 end,
            m.comments
        from all_tab_cols c
        left join all_col_comments m
            on m.owner = c.owner and m.table_name = c.table_name and m.column_name = c.column_name
        where c.owner = :schema and c.hidden_column = 'NO'
        order by c.table_name, c.column_id
    """,
    keys="""
        select
            k.table_name, k.constraint_name, case k.constraint_type when 'P' then 1 else 0 end, c.column_name
        from all_constraints k
        join all_cons_columns c on c.owner = k.owner and c.constraint_name = k.constraint_name
        where k.owner = :schema and k.constraint_type in ('P', 'U')
        order by k.table_name, k.constraint_name, c.position
    """,
    foreign_keys="""
        select k.table_name, k.constraint_name, c.column_name, r.owner, r.table_name, r.column_name
        from all_constraints k
        join all_cons_columns c on c.owner = k.owner and c.constraint_name = k.constraint_name
        join all_cons_columns r
            on r.owner = k.r_owner and r.constraint_name = k.r_constraint_name and r.position = c.position
        where k.owner = :schema and k.constraint_type = 'R'
        order by k.table_name, k.constraint_name, c.position
    """,
    sample_text="substr(to_char({column}), 1, {n})",
    sample="select {columns} from {table} where rownum <= {n}",
    unsampled_types=(
        "BLOB",
        "BFILE",
        "RAW",
        "LONG",
        "CLOB",
        "NCLOB",
        "JSON",
        "XMLTYPE",
        "SDO_",
        "ROWID",
        "VECTOR",
    ),
    powers=_powers,
)
