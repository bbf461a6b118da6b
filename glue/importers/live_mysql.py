"""What the catalogs of MySQL and MariaDB are asked, through information_schema. A schema is a database."""

from __future__ import annotations

import re
from dataclasses import replace

from glue.importers.live_shape import Ask, LiveCatalog

_OWN = "('information_schema', 'mysql', 'performance_schema', 'sys')"
_TABLE_TYPES = "('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')"

_READS = {
    "USAGE",
    "SELECT",
    "SHOW VIEW",
    "SHOW DATABASES",
    "PROCESS",
    "REPLICATION CLIENT",
    "BINLOG MONITOR",
    "SLAVE MONITOR",
}
_GRANT = re.compile(r"GRANT (?P<rights>.+?) ON (?P<where>\S+) TO ", re.IGNORECASE)
_ROLE = re.compile(r"GRANT (?P<role>[^ ]+) TO ", re.IGNORECASE)


def _powers(ask: Ask) -> list[str]:
    return granted_powers([str(row[0]) for row in ask("show grants")])


def granted_powers(grants: list[str]) -> list[str]:
    """What lines of SHOW GRANTS allow besides reading. They may hold a password's digest: it is not kept."""
    found: list[str] = []
    for line in grants:
        if told := _GRANT.match(line):
            rights = re.sub(r"\([^)]*\)", "", told["rights"])  # of columns
            names = [right.strip().upper() for right in rights.split(",")]
            beyond = [name for name in names if name not in _READS]
            if beyond:
                found.append(f"{', '.join(beyond)} on {told['where'].replace('`', '')}")
        elif (told := _ROLE.match(line)) and not line.upper().startswith("GRANT PROXY"):
            found.append(f"may become role {told['role'].replace('`', '')}")
    return found


MYSQL = LiveCatalog(
    who="select version(), current_user(), database()",
    home_schemas="select database() from dual where database() is not null",
    schemas=f"""
        select table_schema, count(*) from information_schema.tables
        where table_type in {_TABLE_TYPES} and lower(table_schema) not in {_OWN}
        group by table_schema order by table_schema
    """,
    tables=f"""
        select
            table_name,
            table_type = 'VIEW',
            case when table_type <> 'VIEW' then nullif(table_comment, '') end,
            table_rows
        from information_schema.tables
        where table_schema = %(schema)s and table_type in {_TABLE_TYPES}
        order by table_name
    """,
    columns="""
        select table_name, column_name, column_type, is_nullable = 'YES', nullif(column_comment, '')
        from information_schema.columns
        where table_schema = %(schema)s
        order by table_name, ordinal_position
    """,
    keys="""
        select table_name, index_name, index_name = 'PRIMARY', column_name
        from information_schema.statistics
        where table_schema = %(schema)s and non_unique = 0 and sub_part is null and column_name is not null
        order by table_name, index_name, seq_in_index
    """,
    foreign_keys="""
        select
            table_name, constraint_name, column_name,
            referenced_table_schema, referenced_table_name, referenced_column_name
        from information_schema.key_column_usage
        where table_schema = %(schema)s and referenced_table_name is not null
        order by table_name, constraint_name, ordinal_position
    """,
    quote="``",
    limit="set session max_execution_time = {ms}",
    sample_text="left({column}, {n})",
    unsampled_types=(
        "binary",
        "varbinary",
        "blob",
        "tinyblob",
        "mediumblob",
        "longblob",
        "bit",
        "json",
        "geometry",
        "point",
        "linestring",
        "polygon",
        "multi",
        "geomcollection",
    ),
    powers=_powers,
)

MARIADB = replace(MYSQL, limit="set session max_statement_time = {s}")
