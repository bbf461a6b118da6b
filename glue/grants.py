"""Scripts that make a user for Evalhouse with the least rights: it may read what is judged, and nothing else.

They are printed for whoever runs the server to read, change and run; nothing here connects anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from glue.connection_urls import SERVER_KINDS
from glue.errors import GlueError, nearest

PLACEHOLDER = "CHANGE-ME-before-running"


@dataclass(frozen=True)
class Grant:
    """Who may read what. `schemas` are databases in MySQL and MariaDB; empty: the usual one, `database`."""

    user: str = "evalhouse"
    database: str | None = None
    schemas: tuple[str, ...] = ()
    password: str = PLACEHOLDER


def grant_script(engine: str, grant: Grant) -> str:
    """The script for an engine. GlueError for an unknown engine, or names that no script should hold."""
    if engine not in _SCRIPTS:
        close = nearest(engine, list(_SCRIPTS))
        hint = f"did you mean {close!r}?" if close else f"servers: {', '.join(_SCRIPTS)}"
        raise GlueError(f"there is no script for engine {engine!r}", hint)
    for name in (grant.user, *(grant.schemas), *([grant.database] if grant.database else [])):
        if not name or not name.isprintable():
            raise GlueError(f"{name!r} is no name", "give it as the server spells it")
    lines = _SCRIPTS[engine](grant)
    change = (
        "The password is a placeholder: change it before you run this."
        if grant.password == PLACEHOLDER
        else "It holds the password: do not keep it."
    )
    head = [
        f"-- {SERVER_KINDS[engine].title}: a user that may read for Evalhouse, and nothing else.",
        f"-- {change}",
    ]
    return "\n".join([*head, *lines, "", "-- To undo it, as an administrator:", *_UNDO[engine](grant)]) + "\n"


def _postgresql(grant: Grant) -> list[str]:
    user, password = _double(grant.user), _single(grant.password)
    database = grant.database or "postgres"
    schemas = grant.schemas or ("public",)
    lines = [
        f"-- Run it as the owner of the tables: psql --dbname {database} --file FILE",
        "",
        f"create role {user} with login nosuperuser nocreatedb nocreaterole noinherit noreplication",
        f"    nobypassrls connection limit 10 password {password};",
        f"alter role {user} set default_transaction_read_only = on;",
        f"alter role {user} set statement_timeout = '10min';",
        f"alter role {user} set idle_in_transaction_session_timeout = '1min';",
        f"grant connect on database {_double(database)} to {user};",
    ]
    for schema in schemas:
        lines += [
            f"grant usage on schema {_double(schema)} to {user};",
            f"grant select on all tables in schema {_double(schema)} to {user};",
            f"alter default privileges in schema {_double(schema)} grant select on tables to {user};",
        ]
    lines += [
        "",
        "-- What every user of this database may do, this one may, too. Where nobody needs it, take it away:",
        f"-- revoke temporary on database {_double(database)} from public;",
        *(f"-- revoke create on schema {_double(schema)} from public;" for schema in schemas),
        "-- revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea)",
        "--     from public;",
        "-- A superuser can also bound the disk that one session of it may fill:",
        f"-- alter role {user} set temp_file_limit = '1GB';",
    ]
    return lines


def _mysql_family(limits: str) -> Callable[[Grant], list[str]]:
    def script(grant: Grant) -> list[str]:
        databases = grant.schemas or ((grant.database,) if grant.database else ("shop",))
        user = f"{_mysql_text(grant.user)}@'%'"
        return [
            "-- Run it as an administrator. Instead of % name the host that Evalhouse runs on, if known.",
            "",
            f"create user {user} identified by {_mysql_text(grant.password)}",
            f"    with {limits};",
            *(f"grant select on {_mysql_pattern(name)}.* to {user};" for name in databases),
            "",
            "-- SELECT alone: no FILE (LOAD DATA, INTO OUTFILE), EXECUTE, LOCK TABLES or temporary tables.",
            "-- A worker holds one connection and opens a second one to stop a statement: ten do for five.",
            "-- A user ''@'localhost' without a name, should there be one, goes before this one: drop it.",
        ]

    return script


def _oracle(grant: Grant) -> list[str]:
    user, profile = _double(grant.user.upper()), _double(grant.user.upper() + "_LIMITS")
    schemas = [schema.upper() for schema in grant.schemas] or ["SHOP"]
    owners = ", ".join(_single(schema) for schema in schemas)
    if '"' in grant.password:
        raise GlueError('an Oracle password cannot hold "', "choose another")
    return [
        "-- Run it in the pluggable database as a user that may create users and grant on these schemas.",
        "-- READ, from 12.1.0.2 on, is SELECT without FOR UPDATE and LOCK TABLE.",
        "",
        f"create profile {profile} limit sessions_per_user 10 idle_time 10;",
        f'create user {user} identified by "{grant.password}" profile {profile};',
        f"grant create session to {user};",
        "begin",
        "    for found in (",
        f"        select owner, table_name as name from all_tables where owner in ({owners})",
        "            and nested = 'NO' and secondary = 'N' and iot_name is null",
        "        union all",
        f"        select owner, view_name from all_views where owner in ({owners})",
        "    ) loop",
        "        execute immediate",
        """            'grant read on "' || found.owner || '"."' || found.name || '" to """
        + user.replace("'", "''")
        + "';",
        "    end loop;",
        "end;",
        "/",
        "",
        "-- From 23ai on, one line a schema also covers tables made later:",
        *(f"-- grant read any table on schema {_double(schema)} to {user};" for schema in schemas),
        "-- It has no quota on any tablespace and may create nothing. The limits of a profile hold where",
        "-- resource_limit is true.",
        "-- See what PUBLIC may execute, too: utl_file, utl_http, utl_tcp, dbms_ldap, dbms_lob.",
    ]


def _sqlserver(grant: Grant) -> list[str]:
    user = _square(grant.user)
    database = _square(grant.database or "shop")
    schemas = grant.schemas or ("dbo",)
    password = grant.password.replace("'", "''")
    return [
        "-- Run it as a member of sysadmin. SQL Server has no read-only transaction, so what must not happen",
        "-- is denied by name: a DENY holds whatever a role grants later.",
        "",
        "use [master];",
        f"create login {user} with password = N'{password}', check_policy = on,",
        f"    default_database = {database};",
        f"deny administer bulk operations to {user};",
        f"deny alter any linked server to {user};",
        "",
        f"use {database};",
        f"create user {user} for login {user} with default_schema = {_square(schemas[0])};",
        *(f"grant select on schema::{_square(schema)} to {user};" for schema in schemas),
        *(f"grant view definition on schema::{_square(schema)} to {user};" for schema in schemas),
        f"deny insert, update, delete, references, take ownership, alter to {user};",
        *(f"deny execute on schema::{_square(schema)} to {user};" for schema in schemas),
        "deny create table, create view, create procedure, create function, create schema, create type,",
        f"    create synonym, create assembly to {user};",
        f"deny backup database, backup log, checkpoint to {user};",
        "",
        "-- CONTROL is not denied: that would deny SELECT and CONNECT, too; nor EXECUTE on the database,",
        "-- which drivers may need for the server's own procedures. Temporary tables (#name) cannot be",
        "-- denied; Evalhouse sends nothing but reads.",
    ]


_SCRIPTS: dict[str, Callable[[Grant], list[str]]] = {
    "postgresql": _postgresql,
    "mysql": _mysql_family("max_user_connections 10"),
    "mariadb": _mysql_family("max_user_connections 10 max_statement_time 600"),
    "oracle": _oracle,
    "sqlserver": _sqlserver,
}


_UNDO: dict[str, Callable[[Grant], list[str]]] = {
    # The default privileges stand in the way of DROP ROLE.
    "postgresql": lambda grant: [f"-- drop owned by {_double(grant.user)}; drop role {_double(grant.user)};"],
    "mysql": lambda grant: [f"-- drop user {_mysql_text(grant.user)}@'%';"],
    "mariadb": lambda grant: [f"-- drop user {_mysql_text(grant.user)}@'%';"],
    "oracle": lambda grant: [
        f"-- drop user {_double(grant.user.upper())};",
        f"-- drop profile {_double(grant.user.upper() + '_LIMITS')};",
    ],
    "sqlserver": lambda grant: [
        f"-- use {_square(grant.database or 'shop')}; drop user {_square(grant.user)};",
        f"-- drop login {_square(grant.user)};",
    ],
}


def grant_engines() -> Sequence[str]:
    """The engines there are scripts for."""
    return list(_SCRIPTS)


def _double(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _square(name: str) -> str:
    return "[" + name.replace("]", "]]") + "]"


def _mysql_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _mysql_pattern(name: str) -> str:
    """A database in GRANT, where _ and % stand for any characters unless a backslash says otherwise."""
    escaped = name.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%")
    return "`" + escaped.replace("`", "``") + "`"
