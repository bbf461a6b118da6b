"""SQL Server through pyodbc: one SELECT, a user who may do no more, a transaction that is always rolled back.

SQL Server has no read-only transaction and no limit of its own on a statement's time. What stands in: the
batch is one SELECT before the server sees it (glue/engines/sqlserver_reads.py), and a second result refuses
it afterwards; the user has SELECT alone and an explicit DENY of the rest; the driver's query timeout and
SQLCancel send the server an attention, and no lock is waited for longer than the statement may take.

A SELECT can change nothing of a session (functions have no side effects, SET and temporary tables are
statements of their own), so the settings below, said again before each statement, are all there is to put
back. A batch that turned out to be more loses its connection.

notyet, for want of a server: nothing here has run against SQL Server. pyodbc's part runs in the tests through
another server's ODBC driver; the settings and the description of columns are from Microsoft's manuals, and no
server has obeyed or given them yet.
* A seventh digit of seconds (datetime2, time, datetimeoffset) is lost: pyodbc gives microseconds.
* hierarchyid, geography and geometry are their bytes, not their texts.
* `search_path`: the server looks for bare names in the user's default schema, and no session can change that.
never: `kill` from outside, which wants ALTER ANY CONNECTION.
"""

from __future__ import annotations

import contextlib
import math
import re
import struct
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, ClassVar
from uuid import UUID

import pyodbc

from glue.engines.base import Failure, Limits, Row
from glue.engines.server import SERVER_GRACE_S, Address, ServerEngine, ServerSession
from glue.engines.sqlserver_errors import class_of
from glue.engines.sqlserver_reads import one_select
from glue.engines.values import check_sizes, single
from glue.errors import GlueError

pyodbc.pooling = False  # a connection that is closed is gone, and what it left is rolled back

_CONNECT_TIMEOUT_S = 10
_DRIVER = re.compile(r"ODBC Driver (\d+) for SQL Server")
_ERROR = re.compile(r"\[(\w{5})\] (.*?) \((-?\d+)\)(?: \(SQL\w+\))?(?=; \[\w{5}\] |$)", re.DOTALL)
"""One diagnostic as pyodbc writes it: [42S02] [Microsoft][…]Invalid object name 'x'. (208) (SQLExecDirect)

Others follow after semicolons, without the function.
"""
_ORIGINS = re.compile(r"^(?:\[[^\]]*\])+")
_NOTICES = frozenset({"3621", "5701", "5703", "8153", "8180"})
"""Come with others: terminated, database and language changed, NULL eliminated, could not be prepared."""
_MOMENT_IN_ZONE = struct.Struct("<6hI2h")
_TYPE_MOMENT_IN_ZONE = -155
_TYPE_OF_CLR = -151


class SQLServer(ServerEngine):
    """SQL Server through Microsoft's ODBC driver, or FreeTDS where there is no other."""

    name: ClassVar[str] = "sqlserver"

    def open_server(self, address: Address, limits: Limits) -> SQLServerSession:
        """Connect. pyodbc.Error when that fails, GlueError without an ODBC driver."""
        return SQLServerSession(address, limits)

    def open_failure(self, error: Exception) -> Failure:
        """A database that cannot be reached is not at hand."""
        _, code, message = diagnosis(error)
        return Failure("no_database", "connection", code, message)

    def kill(self, address: Address, server_id: str) -> None:
        """Never: KILL wants ALTER ANY CONNECTION, which reads alone do not. The server notices by itself."""
        raise GlueError(
            f"a user who may only read cannot end session {server_id} of SQL Server",
            f"an administrator can: kill {server_id}",
        )


def connection_string(address: Address, drivers: Sequence[str]) -> str:
    """What ODBC connects with. An address's options come last but for the password, and win."""
    given = {name.lower(): value for name, value in address.options}
    server = address.host or "localhost"
    parts = {
        "driver": given.pop("driver", None) or _newest(drivers),
        "server": f"tcp:{server},{address.port}" if address.port else server,
        "database": address.database,
        "uid": address.user,
        "app": "evalhouse",
        "applicationintent": "ReadOnly",
        "mars_connection": "no",  # one statement at a time, its rows streamed
        "regional": "no",
        **given,
        "pwd": address.password,
    }
    if address.user is None and "trusted_connection" not in given:
        parts["trusted_connection"] = "yes"
    return ";".join(f"{name}={_braced(value)}" for name, value in parts.items() if value is not None)


def _newest(drivers: Sequence[str]) -> str:
    found = [(int(match[1]), match[0]) for match in map(_DRIVER.fullmatch, drivers) if match]
    if found:
        return max(found)[1]
    if "FreeTDS" in drivers:
        return "FreeTDS"
    raise GlueError(
        f"there is no ODBC driver for SQL Server (there are: {', '.join(drivers) or 'none'})",
        "install Microsoft's ODBC Driver 18 for SQL Server, or name one with the option driver",
    )


def _braced(value: str) -> str:
    return "{" + value.replace("}", "}}") + "}"


class SQLServerSession(ServerSession):
    """One connection. See SQLServer."""

    lost_classes: ClassVar[frozenset[str]] = ServerSession.lost_classes | {"multiple_statements"}

    def __init__(self, address: Address, limits: Limits) -> None:
        super().__init__(address, limits)
        self._connection = self._connect()
        self._cursor: pyodbc.Cursor | None = None
        self._converters: list[Callable[[Any], Any] | None] = []
        self._server_id = str(self._connection.execute(self.whoami).fetchval())
        self._connection.rollback()

    # What a stand-in in the tests says otherwise

    whoami: ClassVar[str] = "select @@spid"

    def whereto(self) -> str:
        """What ODBC connects with."""
        return connection_string(self.address, pyodbc.drivers())

    def settings(self, statement: str) -> str:
        """A batch that says all settings again, and describes the columns of the statement."""
        text = statement.replace("'", "''")
        return f"""
            set nocount on;
            set lock_timeout {round((self.limit_s + SERVER_GRACE_S) * 1_000)};
            set textsize {min(2 * self.limits.max_value_bytes + 2, 2**31 - 1)};
            set rowcount 0;
            set deadlock_priority low;
            set transaction isolation level read committed;
            select system_type_name
            from sys.dm_exec_describe_first_result_set(N'{text}', null, 0)
            where is_hidden = 0 and error_number is null
            order by column_ordinal;
        """

    def _connect(self) -> pyodbc.Connection:
        """A connection whose transactions are rolled back. No error of it names the password."""
        try:
            connection = pyodbc.connect(self.whereto(), autocommit=False, timeout=_CONNECT_TIMEOUT_S)
        except pyodbc.Error as error:
            raise type(error)(*(without(part, self.address.password) for part in error.args)) from None
        connection.decimal_mode = "text"  # exactly, whatever the locale
        connection.add_output_converter(_TYPE_MOMENT_IN_ZONE, moment_in_zone)
        connection.add_output_converter(_TYPE_OF_CLR, bytes_or_none)
        return connection

    # What ServerSession asks for

    @property
    def server_id(self) -> str:
        """See ServerSession: the session's number."""
        return self._server_id

    def start(self, sql: str) -> list[str]:
        """See ServerSession. Two round trips: the settings, and the statement."""
        statement = one_select(sql)
        with contextlib.suppress(pyodbc.Error):  # a driver that knows no timeout: `cancel` is there
            self._connection.timeout = math.ceil(self.limit_s + SERVER_GRACE_S)
        self._cursor = cursor = self._connection.cursor()
        cursor.noscan = True  # no {escapes} of ODBC's: the text is the server's
        types = [name for (name,) in cursor.execute(self.settings(statement)).fetchall()]
        cursor.execute(statement)
        if cursor.description is None:
            raise pyodbc.ProgrammingError("HY000", "the statement gave no result")
        names = [column[0] for column in cursor.description]
        if len(types) != len(names):
            raise pyodbc.ProgrammingError("HY000", f"{len(types)} of {len(names)} columns are described")
        self._converters = [converter_for(name) for name in types]
        return names

    def take(self, n_rows: int) -> Sequence[Row]:
        """See ServerSession. Rows are read off the wire as they are asked for."""
        assert self._cursor is not None
        rows = self._cursor.fetchmany(n_rows)
        if not rows:
            if self._cursor.nextset():
                raise _SecondResult("the text holds several statements: there was a second result")
            return []
        check_sizes(rows, self.limits.max_value_bytes)
        if not any(self._converters):
            return [tuple(row) for row in rows]
        columns = [
            values if convert is None else [None if value is None else convert(value) for value in values]
            for convert, values in zip(self._converters, zip(*rows, strict=True), strict=True)
        ]
        return list(zip(*columns, strict=True))

    def undo(self) -> None:
        """See ServerSession. Closing a cursor with rows left sends an attention; nothing more is read."""
        cursor, self._cursor = self._cursor, None
        if cursor is not None:
            cursor.close()
            self._connection.rollback()

    def cancel(self) -> None:
        """See ServerSession: SQLCancel."""
        cursor = self._cursor
        if cursor is not None:
            cursor.cancel()

    def disconnect(self) -> None:
        """See ServerSession. The server rolls back what a closed connection leaves."""
        self._connection.close()

    def explain(self, error: Exception) -> Failure:
        """See ServerSession."""
        if isinstance(error, _SecondResult):
            return Failure("refused", "multiple_statements", None, str(error))
        state, code, message = diagnosis(error)
        found = class_of(state, code)
        if found == "interrupted":
            return Failure("timed_out", found, code, message)
        return Failure("refused" if found == "forbidden" else "failed", found, code, message)


class _SecondResult(Exception):
    """A batch gave a second result."""


def diagnosis(error: Exception) -> tuple[str | None, str | None, str]:
    """SQLSTATE, the server's own number (or the SQLSTATE again), and the message of a driver's error."""
    if isinstance(error, pyodbc.Error) and "closed connection" in str(error):
        return "08003", "08003", str(error)
    if not isinstance(error, pyodbc.Error) or len(error.args) < 2:
        return None, None, str(error).strip()
    state, text = str(error.args[0]), str(error.args[1])
    found = [match for match in _ERROR.findall(text) if match[2] not in _NOTICES]
    if not found:
        return state, state, _ORIGINS.sub("", text).strip()
    state, message, number = found[0]
    is_of_server = int(number) > 0 and not state.startswith("08")
    return state, number if is_of_server else state, _ORIGINS.sub("", message).strip()


def without(part: Any, password: str | None) -> Any:
    """A part of an error's text with the password taken out, in braces or bare."""
    if not password or not isinstance(part, str):
        return part
    return part.replace(password.replace("}", "}}"), "***").replace(password, "***")


# --- Values -------------------------------------------------------------------------------------------------


def moment_in_zone(data: bytes | None) -> datetime | None:
    """datetimeoffset, as the driver's struct: its own clock and the offset from UTC."""
    if data is None:
        return None
    *clock, nanoseconds, hours, minutes = _MOMENT_IN_ZONE.unpack(data)
    year, month, day, hour, minute, second = clock
    zone = timezone(timedelta(hours=hours, minutes=minutes))
    return datetime(year, month, day, hour, minute, second, nanoseconds // 1_000, zone)


def bytes_or_none(data: bytes | None) -> bytes | None:
    """hierarchyid, geography, geometry: the bytes that the server stores."""
    return data


def _unpadded(value: Any) -> Any:
    return value.rstrip(" ") if isinstance(value, str) else value


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "char": _unpadded,
    "nchar": _unpadded,
    "real": single,
    "uniqueidentifier": lambda value: UUID(str(value)),
}


def converter_for(type_name: str | None) -> Callable[[Any], Any] | None:
    """What a value of that type, as the server names it (char(10); None for CLR types), still needs."""
    return _CONVERTERS.get((type_name or "").partition("(")[0])
