"""A live database from outside its engine: connecting with errors that help, who one is there, what one may.

Used by `glue connect` and by the import of a catalog; statements that are judged go through glue/engines.
"""

from __future__ import annotations

import contextlib
import importlib
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from glue.connection_urls import SERVER_KINDS
from glue.connections import Connection
from glue.engines.server import Address
from glue.errors import GlueError, nearest
from glue.importers.live_shape import LiveCatalog

_CONNECT_TIMEOUT_S = 10

_CATALOGS = {
    "postgresql": "glue.importers.live_postgresql:POSTGRESQL",
    "mysql": "glue.importers.live_mysql:MYSQL",
    "mariadb": "glue.importers.live_mysql:MARIADB",
    "oracle": "glue.importers.live_oracle:ORACLE",
    "sqlserver": "glue.importers.live_sqlserver:SQL_SERVER",
}
_WRONG_PASSWORD = (
    "password authentication failed",
    "no password supplied",
    "access denied for user",
    "login failed",
    "ora-01017",
    "ora-01005",
)
_WRONG_DATABASE = (
    "' to database '",
    "unknown database",
    "cannot open database",
    "ora-12514",
    "ora-12505",
    "dpy-6001",
    "dpy-6003",
)


@dataclass(frozen=True)
class Server:
    """What answered: its version, the user and database there, and what that user may do besides reading."""

    engine: str
    version: str
    user: str
    database: str | None
    powers: tuple[str, ...]


class LiveDatabase:
    """One open connection for reading catalogs. Use it with `with`; errors of the driver come through."""

    def __init__(self, address: Address, catalog: LiveCatalog, link: Any, error: type[Exception]) -> None:
        self.address = address
        self.catalog = catalog
        self.error = error
        self._link = link

    def __enter__(self) -> LiveDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self._link.close()

    def rows(self, sql: str, schema: str | None = None) -> list[tuple[Any, ...]]:
        """All rows of a query, none of another statement; `schema` is its one parameter, where it has one."""
        cursor = self._link.cursor()
        try:
            if schema is None:
                cursor.execute(sql)
            elif self.address.engine == "sqlserver":
                cursor.execute(sql, [schema])
            else:
                cursor.execute(sql, {"schema": schema})
            if cursor.description is None:
                return []
            return [tuple(_plain(value) for value in row) for row in cursor.fetchall()]
        finally:
            with contextlib.suppress(Exception):
                cursor.close()

    def writer(self) -> Any:
        """The driver's connection, in which transactions may write from now on, none of them by itself."""
        self._link.rollback()
        if self.address.engine == "postgresql":
            self.rows("set session characteristics as transaction read write")
            self._link.rollback()
        if self.address.engine in ("mysql", "mariadb"):
            self.rows("set session transaction read write")
            self._link.autocommit(False)
        else:
            self._link.autocommit = False
        return self._link

    def limit_time(self, seconds: float) -> None:
        """The next queries may take so long each."""
        if self.address.engine == "oracle":
            self._link.call_timeout = round(seconds * 1_000)
        elif self.address.engine == "sqlserver":
            self._link.timeout = max(round(seconds), 1)
        elif self.catalog.limit:
            self.rows(self.catalog.limit.format(ms=round(seconds * 1_000), s=seconds))


def catalog_of(engine: str) -> LiveCatalog:
    """What is asked of an engine's catalog."""
    module, _, attribute = _CATALOGS[engine].partition(":")
    found = getattr(importlib.import_module(module), attribute)
    assert isinstance(found, LiveCatalog)
    return found


def opened(connection: Connection, address: Address) -> LiveDatabase:
    """Connect. GlueError says which of driver, host, port, user, password and database is wrong.

    No error carries the driver's, whose frames hold the password.
    """
    driver = _driver(connection)
    catalog = catalog_of(address.engine)
    said: str | None = None
    try:
        link = _connected(address)
    except GlueError:
        raise
    except Exception as error:
        said = _first_line(error, address.password)
    if said is not None:
        raise _explained(connection, address, said) from None
    return LiveDatabase(address, catalog, link, driver.Error)


def server_of(database: LiveDatabase) -> Server:
    """Who answered, and what the user there may do besides reading."""
    ((version, user, name),) = database.rows(database.catalog.who)
    engine = database.address.engine
    if engine in ("mysql", "mariadb") and ("mariadb" in str(version).lower()) != (engine == "mariadb"):
        other = "mysql" if engine == "mariadb" else "mariadb"
        raise GlueError(
            f"{database.address.host} is no {SERVER_KINDS[engine].title}: it says {version}",
            f"write the URL as {other}://…",
        )
    powers = database.catalog.powers(database.rows) if database.catalog.powers else []
    return Server(engine, str(version), str(user), name, tuple(powers))


# --- Connecting ---------------------------------------------------------------------------------------------


def _driver(connection: Connection) -> Any:
    kind = SERVER_KINDS[connection.engine]
    try:
        return importlib.import_module(kind.driver)
    except ImportError as error:
        raise kind.without_driver(error) from None


def _connected(address: Address) -> Any:
    if address.engine == "postgresql":
        from glue.engines.postgresql import connected

        return connected(address)
    return {"mysql": _mysql, "mariadb": _mysql, "oracle": _oracle, "sqlserver": _sqlserver}[address.engine](
        address
    )


def _mysql(address: Address) -> Any:
    from glue.engines.mysql import connected

    link = connected(address)
    with link.cursor() as cursor:
        cursor.execute("set session transaction read only")
    return link


def _oracle(address: Address) -> Any:
    import oracledb

    from glue.engines.oracle import answer_within, connect_arguments

    with answer_within(_CONNECT_TIMEOUT_S):
        link = oracledb.connect(**connect_arguments(address))
    with link.cursor() as cursor:
        cursor.execute("set transaction read only")
    return link


def _sqlserver(address: Address) -> Any:
    from glue.engines.sqlserver import connection_string

    pyodbc = importlib.import_module("pyodbc")
    text = connection_string(address, pyodbc.drivers())
    return pyodbc.connect(text, timeout=_CONNECT_TIMEOUT_S, autocommit=True)


# --- Errors -------------------------------------------------------------------------------------------------


def _explained(connection: Connection, address: Address, said: str) -> GlueError:
    """What is wrong: looked at from the network upwards, then in what the driver says."""
    kind, name = SERVER_KINDS[connection.engine], connection.name
    again = f"glue connect {name} {kind.example.partition('://')[0]}://…"
    unreachable = _unreachable(address, kind.port, again)
    if unreachable is not None:
        return unreachable
    lower = said.lower()
    if any(words in lower for words in _WRONG_DATABASE) or (
        'database "' in lower and "does not exist" in lower
    ):
        return _no_database(address, said, again)
    if "driver" in lower and ("can't open lib" in lower or "data source name not found" in lower):
        return GlueError(
            f"the ODBC driver for SQL Server is not installed: {said}",
            "install Microsoft's, or name another in the URL: ?driver=FreeTDS",
        )
    if any(words in lower for words in _WRONG_PASSWORD):
        tried = "with the password at hand" if address.password else "and no password is at hand"
        places = {
            "postgresql": "or in ~/.pgpass",
            "mysql": "or in ~/.my.cnf",
            "mariadb": "or in ~/.my.cnf",
            "oracle": "or give a wallet: ?config_dir=DIR&wallet_location=DIR",
        }.get(connection.engine, "")
        variable = connection.password_env or connection.variable
        return GlueError(
            f"{_where(address)} does not let {address.user or 'this user'} in, {tried}: {said}",
            f"put the password into {variable}, {places}".rstrip(", ") + "; --prompt asks for it",
        )
    if "role " in lower and "does not exist" in lower:
        return GlueError(
            f"{_where(address)} has no user {address.user!r}: {said}",
            f"glue engine grant {connection.engine} prints a script that makes one",
        )
    return GlueError(f"{connection.shown} cannot be connected to: {said}", f"mend the URL: {again}")


def _unreachable(address: Address, usual_port: int, again: str) -> GlueError | None:
    """What the network says of the host and the port; None where something listens, or it is no network."""
    if not address.host or address.host.startswith("/") or "," in address.host or "\\" in address.host:
        return None
    port = address.port or usual_port
    try:
        socket.getaddrinfo(address.host, port)
    except OSError:
        return GlueError(f"there is no host {address.host!r}", f"mend the URL: {again}")
    try:
        socket.create_connection((address.host, port), timeout=_CONNECT_TIMEOUT_S).close()
    except OSError as error:
        why = "does not answer" if isinstance(error, TimeoutError) else "takes no connection"
        hint = f"the usual port is {usual_port}; " if port != usual_port else ""
        return GlueError(
            f"{address.host} {why} on port {port}",
            f"{hint}does the server run, listen on that address, and does a firewall let you through?",
        )
    return None


def _no_database(address: Address, said: str, again: str) -> GlueError:
    names: list[str] = []
    asked = {
        "postgresql": (
            "postgres",
            "select datname::text from pg_catalog.pg_database where datallowconn and not datistemplate",
        ),
        "mysql": (None, "show databases"),
        "mariadb": (None, "show databases"),
        "sqlserver": ("master", "select name from sys.databases where database_id > 4"),
    }.get(address.engine)
    if asked is not None:
        with contextlib.suppress(Exception):
            link = _connected(replace(address, database=asked[0], search_path=()))
            with contextlib.closing(link), contextlib.closing(link.cursor()) as cursor:
                cursor.execute(asked[1])
                names = sorted(str(row[0]) for row in cursor.fetchall())
    close = nearest(address.database or "", names)
    if close:
        hint = f"did you mean {close!r}?"
    else:
        hint = f"it has {', '.join(names[:8])}" if names else f"mend the URL: {again}"
    whose = f" that {address.user} may read" if address.user else ""
    return GlueError(f"{_where(address)} has no database {address.database!r}{whose}: {said}", hint)


def _where(address: Address) -> str:
    return address.host or "the server"


def _first_line(error: Exception, password: str | None) -> str:
    """The driver's message in one line, without the password should it be there."""
    parts: Sequence[Any] = error.args if error.args else (str(error),)
    text = " ".join(
        str(part) for part in (parts if type(error).__module__.startswith("pymysql") else [error])
    )
    if password:
        text = text.replace(password, "…")
    return " ".join(text.split())[:400].removeprefix("connection failed: ")


def _plain(value: Any) -> Any:
    """A value of a catalog; some drivers give its texts as bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes | bytearray) else value
