"""Conformance cases on the real server, through the drivers of the engines oracle and sqlserver.

The user needs tables of its own: a case makes its tables in the user's schema and takes them away again. A
table that is there already is never touched; the case then fails.

notyet, for want of a server: nothing here has run against Oracle or SQL Server. The drivers' own parts, and
what is sent, run in the tests.
never: a case that says what the clock shows, for that takes rights over the whole server.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from glue.dialects.conformance import TIME_LIMIT_S, Answer, Case, LocalServer, Server
from glue.dialects.definitions import Reader
from glue.dialects.errors import DialectError, UnsupportedError
from glue.engines.server import Address
from glue.errors import GlueError

if TYPE_CHECKING:
    import oracledb
    import pyodbc

VARIABLES = {"oracle": "EVALHOUSE_ORACLE_DSN", "tsql": "EVALHOUSE_SQLSERVER_DSN"}
"""Environment variables with the URL of each dialect's real server."""


def server_of(dialect: str) -> tuple[Server, str]:
    """The real server where its variable is set, else the local one; and what to call it. GlueError."""
    from glue.connection_urls import SERVER_KINDS, parsed_url, without_passwords

    engine = "oracle" if dialect == "oracle" else "sqlserver"
    text = os.environ.get(VARIABLES[dialect])
    if not text:
        return LocalServer(dialect), f"{SERVER_KINDS[engine].title}'s dialect on DuckDB"
    url, password = parsed_url(text)
    if url.engine != engine:
        raise GlueError(
            f"{VARIABLES[dialect]} leads to {SERVER_KINDS[url.engine].title}",
            f"write it as {SERVER_KINDS[engine].example}",
        )
    address = Address(engine, url.host, url.port, url.database, url.user, password, options=url.options)
    kind = OracleServer if dialect == "oracle" else SQLServerServer
    try:
        return kind(address), without_passwords(text)
    except ImportError as error:
        raise SERVER_KINDS[engine].without_driver(error) from error


def _created(statement: str, dialect: str) -> str | None:
    """The table that a statement of a setup makes."""
    try:
        return Reader(statement, dialect, 23).table().name
    except (DialectError, UnsupportedError):
        return None


def _unlike_here(case: Case, version: int) -> Answer | None:
    """Why the case cannot be put to a server of this version."""
    if case.now is not None:
        return Answer(unsupported=f"the server's clock would have to say {case.now}")
    if case.version is not None and version < case.version:
        return Answer(unsupported=f"the case is of version {case.version}, and the server is {version}")
    return None


class OracleServer:
    """A session of a real Oracle database."""

    def __init__(self, address: Address) -> None:
        import oracledb

        from glue.engines.oracle import SETTINGS, connect_arguments, diagnosis

        try:
            self._connection: oracledb.Connection = oracledb.connect(**connect_arguments(address))
        except (oracledb.Error, OSError) as error:
            raise GlueError(f"Oracle cannot be reached: {diagnosis(error)[2]}") from error
        self._connection.call_timeout = TIME_LIMIT_S * 1000
        self._version = int(self._connection.version.partition(".")[0])
        with self._connection.cursor() as cursor:
            for name, value in SETTINGS.items():
                cursor.execute(f"alter session set {name} = '{value}'")

    def answer(self, case: Case) -> Answer:
        """What the server says. Its tables are dropped again, for Oracle commits what makes them."""
        unlike = _unlike_here(case, self._version)
        if unlike is not None:
            return unlike
        created: list[str] = []
        try:
            with self._connection.cursor() as cursor:
                return self._answer(case, cursor, created)
        finally:
            self._connection.rollback()
            with self._connection.cursor() as cursor:
                for name in reversed(created):
                    quoted = name.replace('"', '""')
                    cursor.execute(f'drop table "{quoted}" cascade constraints purge')

    def _answer(self, case: Case, cursor: oracledb.Cursor, created: list[str]) -> Answer:
        import oracledb

        from glue.engines.oracle import diagnosis

        for number, statement in enumerate(case.setup, 1):
            try:
                cursor.execute(statement)
            except oracledb.Error as error:
                return Answer(failure=f"statement {number} of its setup: {diagnosis(error)[2]}")
            name = _created(statement, "oracle")
            if name is not None:
                created.append(name)
        try:
            cursor.execute(case.sql, fetch_lobs=False, fetch_decimals=True)
            return Answer(rows=tuple(map(tuple, cursor.fetchall())))
        except oracledb.Error as error:
            _, code, message = diagnosis(error)
            return Answer(code=code, message=message) if code else Answer(failure=message)


class SQLServerServer:
    """A session of a real SQL Server."""

    def __init__(self, address: Address) -> None:
        import pyodbc

        from glue.engines.sqlserver import connection_string, diagnosis, without

        writes = Address(
            address.engine, address.host, address.port, address.database, address.user, address.password,
            options=(("applicationintent", "ReadWrite"), *address.options),
        )  # fmt: skip
        try:
            text = connection_string(writes, pyodbc.drivers())
            self._connection: pyodbc.Connection = pyodbc.connect(text, autocommit=False, timeout=10)
        except pyodbc.Error as error:
            said = without(diagnosis(error)[2], address.password)
            raise GlueError(f"SQL Server cannot be reached: {said}") from None
        self._connection.timeout = TIME_LIMIT_S
        version = self._execute("select cast(serverproperty('productmajorversion') as int)")[0][0]
        self._version = {13: 2016, 14: 2017, 15: 2019, 16: 2022, 17: 2025}.get(int(version), 0)

    def answer(self, case: Case) -> Answer:
        """What the server says, in a transaction that is rolled back: no table of it ever is."""
        import pyodbc

        from glue.engines.sqlserver import diagnosis

        unlike = _unlike_here(case, self._version)
        if unlike is not None:
            return unlike
        done: list[str] = []
        try:
            self._execute("set language us_english; set dateformat mdy; set datefirst 7")
            for statement in case.setup:
                self._execute(statement)
                done.append(statement)
            return Answer(rows=tuple(map(tuple, self._execute(case.sql))))
        except pyodbc.Error as error:
            _, code, message = diagnosis(error)
            if len(done) < len(case.setup):
                return Answer(failure=f"statement {len(done) + 1} of its setup: {message}")
            return Answer(code=code, message=message) if code else Answer(failure=message)
        finally:
            with contextlib.suppress(pyodbc.Error):
                self._connection.rollback()

    def _execute(self, sql: str) -> list[Any]:
        cursor = self._connection.cursor()
        cursor.noscan = True  # no {escapes} of ODBC's: the text is the server's
        try:
            cursor.execute(sql)
            return cursor.fetchall() if cursor.description else []
        finally:
            cursor.close()
