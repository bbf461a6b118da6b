"""What SQL Server's catalog is asked, through sys.*. Written by the manual, notyet run."""

from __future__ import annotations

from glue.importers.live_shape import Ask, LiveCatalog

_READABLE = """
    from sys.objects as o
    inner join sys.schemas as s on o.schema_id = s.schema_id
    where
        o.type in ('U', 'V')
        and o.is_ms_shipped = 0
        and has_perms_by_name(concat(quotename(s.name), '.', quotename(o.name)), 'OBJECT', 'SELECT') = 1
"""

_POWERS = """
select 'sysadmin' where is_srvrolemember('sysadmin') = 1
union all
select concat(permission_name, ' on the database') from sys.fn_my_permissions(null, 'DATABASE')
where
    permission_name in ('INSERT', 'UPDATE', 'DELETE', 'EXECUTE', 'CONTROL', 'TAKE OWNERSHIP', 'REFERENCES')
    or permission_name like 'ALTER%' or permission_name like 'CREATE%' or permission_name like 'BACKUP%'
union all
select concat(permission_name, ' on the server') from sys.fn_my_permissions(null, 'SERVER')
where
    permission_name in ('CONTROL SERVER', 'ADMINISTER BULK OPERATIONS', 'SHUTDOWN', 'UNSAFE ASSEMBLY')
    or permission_name like 'ALTER%' or permission_name like 'CREATE%' or permission_name like 'IMPERSONATE%'
"""


def _powers(ask: Ask) -> list[str]:
    found = [str(row[0]) for row in ask(_POWERS)]
    return ["sysadmin"] if "sysadmin" in found else found


SQL_SERVER = LiveCatalog(
    who="""
        select cast(serverproperty('ProductVersion') as nvarchar(128)), user_name(), db_name()
    """,
    home_schemas="select schema_name()",
    schemas=f"select s.name, count(*) {_READABLE} group by s.name order by s.name",
    tables=f"""
        select
            o.name,
            case o.type when 'V' then 1 else 0 end,
            (
                select cast(e.value as nvarchar(4000)) from sys.extended_properties as e
                where
                    e.class = 1 and e.major_id = o.object_id and e.minor_id = 0
                    and e.name = 'MS_Description'
            ),
            (
                select sum(p.rows) from sys.partitions as p
                where p.object_id = o.object_id and p.index_id in (0, 1)
            )
        {_READABLE} and s.name = ?
        order by o.name
    """,
    columns=f"""
        select
            o.name,
            c.name,
            concat(type_name(c.user_type_id), case
                when type_name(c.user_type_id) not in (
                    'char', 'varchar', 'binary', 'varbinary', 'nchar', 'nvarchar', 'decimal', 'numeric',
                    'datetime2', 'datetimeoffset', 'time'
                ) then ''
                when c.max_length = -1 then '(max)'
                when type_name(c.user_type_id) in ('nchar', 'nvarchar')
                    then concat('(', cast(c.max_length / 2 as int), ')')
                when type_name(c.user_type_id) in ('decimal', 'numeric')
                    then concat('(', c.precision, ',', c.scale, ')')
                when type_name(c.user_type_id) in ('datetime2', 'datetimeoffset', 'time')
                    then concat('(', c.scale, ')')
                else concat('(', c.max_length, ')')
            end),
            cast(c.is_nullable as int),
            (
                select cast(e.value as nvarchar(4000)) from sys.extended_properties as e
                where
                    e.class = 1 and e.major_id = c.object_id and e.minor_id = c.column_id
                    and e.name = 'MS_Description'
            )
        from (select o.object_id, o.name {_READABLE} and s.name = ?) as o
        inner join sys.columns as c on o.object_id = c.object_id
        order by o.name, c.column_id
    """,
    keys="""
        select o.name, i.name, cast(i.is_primary_key as int), col_name(ic.object_id, ic.column_id)
        from sys.indexes as i
        inner join sys.index_columns as ic on i.object_id = ic.object_id and i.index_id = ic.index_id
        inner join sys.objects as o on i.object_id = o.object_id
        inner join sys.schemas as s on o.schema_id = s.schema_id
        where
            i.is_unique = 1 and i.has_filter = 0 and ic.is_included_column = 0 and o.type = 'U'
            and s.name = ?
        order by o.name, i.name, ic.key_ordinal
    """,
    foreign_keys="""
        select
            o.name, f.name, col_name(k.parent_object_id, k.parent_column_id),
            object_schema_name(k.referenced_object_id), object_name(k.referenced_object_id),
            col_name(k.referenced_object_id, k.referenced_column_id)
        from sys.foreign_keys as f
        inner join sys.foreign_key_columns as k on f.object_id = k.constraint_object_id
        inner join sys.objects as o on f.parent_object_id = o.object_id
        inner join sys.schemas as s on o.schema_id = s.schema_id
        where s.name = ?
        order by o.name, f.name, k.constraint_column_id
    """,
    quote="[]",
    sample_text="left(convert(nvarchar(max), {column}, 126), {n})",
    sample="select top ({n}) {columns} from {table}",
    unsampled_types=(
        "binary",
        "varbinary",
        "image",
        "timestamp",
        "rowversion",
        "xml",
        "geometry",
        "geography",
        "hierarchyid",
        "sql_variant",
        "json",
        "vector",
    ),
    powers=_powers,
)
