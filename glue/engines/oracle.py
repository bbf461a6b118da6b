"""Oracle through oracledb's thin mode: a read-only transaction, always rolled back, and a session put back.

`SET TRANSACTION READ ONLY` stops whatever writes rows, and FOR UPDATE. It does not stop a function that opens
a transaction of its own, a sequence's NEXTVAL, or another database behind a link: the statement may define no
PL/SQL, name no sequence's next value and no link, and the user may read and no more (READ, not SELECT, which
would let it lock tables).

A read can alter no setting of its session; what can keep state is a package that a function of it ran. After
each statement one call rolls back, has all packages begin anew (DBMS_SESSION.MODIFY_PACKAGE_STATE) and says
the settings again. A pool that gives each statement a new session (DRCP) would cost a server process's start,
and has to be set up on the server; where DBMS_SESSION is not granted, the call fails and the connection is
closed, which comes to the same.

Oracle has no limit on a statement's time but the driver's: `call_timeout` for each round trip, and a break
sent by `cancel`. A client that has died is noticed by the server's own dead connection detection.

notyet, for want of a server: nothing here has run against Oracle. The driver's own parts run in the tests;
what is sent has not been obeyed by any server, and what error numbers mean was only read (oracle_errors.py).
* TIMESTAMP WITH TIME ZONE: the driver gives the clock and drops the zone, so two moments compare by their
  clocks; named zones are `unsupported_value`. The driver has no other way to fetch them.
* TIMESTAMP WITH LOCAL TIME ZONE comes without a zone, in that of the session: UTC.
* Digits past the microsecond are lost; years before Christ are `unsupported_value`.
* Object types, collections, nested cursors and BFILE are `unsupported_value`.
* Of `search_path` the first schema alone: a session has one.
never: `kill` from outside, which wants ALTER SYSTEM.
"""

from __future__ import annotations

import contextlib
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any, ClassVar

import oracledb

from glue.cells import ReadyCell, interval_cell, json_text
from glue.engines.base import Failure, Limits, Row
from glue.engines.oracle_errors import class_of
from glue.engines.oracle_reads import checked, is_called
from glue.engines.server import SERVER_GRACE_S, Address, ServerEngine, ServerSession
from glue.engines.values import check_sizes, json_of, single
from glue.errors import GlueError

_CONNECT_TIMEOUT_S = 10
_FIRST_ROWS = 16
_FETCH_ROWS = 256
_FETCH_LARGE_ROWS = 4
"""Rows in one round trip where a column may hold texts or bytes of any length."""
_MICROSECONDS_A_DAY = 86_400_000_000

SETTINGS = {
    "TIME_ZONE": "UTC",
    "NLS_LANGUAGE": "AMERICAN",
    "NLS_TERRITORY": "AMERICA",  # before those that it would set
    "NLS_DATE_FORMAT": "DD-MON-RR",
    "NLS_NUMERIC_CHARACTERS": ".,",
    "NLS_SORT": "BINARY",
    "NLS_COMP": "BINARY",
}
_WRAPPERS = (604, 12801)
"""Of an error at a level below, or in a parallel server's process."""
_NOISE = re.compile(r"\n*Help: \S+| \(CONNECTION_ID=[^)]*\)")


class Oracle(ServerEngine):
    """Oracle through oracledb, without Oracle's client libraries."""

    name: ClassVar[str] = "oracle"

    def open_server(self, address: Address, limits: Limits) -> OracleSession:
        """Connect. oracledb.Error or ConnectTimedOut when that fails."""
        return OracleSession(address, limits)

    def open_failure(self, error: Exception) -> Failure:
        """A database that cannot be reached is not at hand."""
        _, code, message = diagnosis(error)
        return Failure("no_database", "connection", code, message)

    def kill(self, address: Address, server_id: str) -> None:
        """Never: it wants ALTER SYSTEM, which a user who may only read does not have."""
        raise GlueError(
            f"a user who may only read cannot end session {server_id} of Oracle",
            f"an administrator can: alter system kill session '{server_id}'",
        )


class ConnectTimedOut(Exception):
    """The server did not answer in time while a connection was made."""


def connect_arguments(address: Address) -> dict[str, Any]:
    """What oracledb.connect is given. Without a host, the database is a name that the driver resolves."""
    given: dict[str, Any] = {name: _typed(value) for name, value in address.options}
    where: dict[str, Any] = {"dsn": address.database}
    if address.host is not None:
        where = {"host": address.host, "port": address.port or 1521}
        if "sid" not in given:
            where["service_name"] = address.database
    return {
        "user": address.user,
        "password": address.password,
        "program": "evalhouse",
        "tcp_connect_timeout": float(_CONNECT_TIMEOUT_S),
        "expire_time": 1,  # minutes between signs of life
        **where,
        **given,
    }


def _typed(value: str) -> Any:
    """An option's value: a number or a truth value where it reads like one."""
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    return int(value) if value.isdecimal() else value


@contextlib.contextmanager
def answer_within(seconds: float) -> Iterator[None]:
    """Raise ConnectTimedOut in the main thread after so long. Does nothing in others, which get no signals.

    The driver limits how long it takes to reach a server, not how long the server may then say nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(number: int, frame: Any) -> None:
        raise ConnectTimedOut(f"the server did not answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)  # again, where the driver tries another address
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class OracleSession(ServerSession):
    """One connection. See Oracle."""

    def __init__(self, address: Address, limits: Limits) -> None:
        super().__init__(address, limits)
        self._statement = ""
        self._cursor: oracledb.Cursor | None = None
        with answer_within(_CONNECT_TIMEOUT_S):
            self._connection = oracledb.connect(**connect_arguments(address))
        self._connection.call_timeout = _CONNECT_TIMEOUT_S * 1_000
        with self._connection.cursor() as cursor:
            for setting in self._settings():
                cursor.execute(setting)

    @property
    def server_id(self) -> str:
        """See ServerSession: session and serial number, as ALTER SYSTEM KILL SESSION takes them."""
        return f"{self._connection.session_id},{self._connection.serial_num}"

    def start(self, sql: str) -> list[str]:
        """See ServerSession. Two round trips."""
        self._statement = checked(sql)
        self._connection.call_timeout = round((self.limit_s + SERVER_GRACE_S) * 1_000)
        self._cursor = cursor = self._connection.cursor()
        cursor.execute("set transaction read only")
        cursor.arraysize, cursor.prefetchrows = _FETCH_ROWS, _FIRST_ROWS
        cursor.outputtypehandler = output_type
        cursor.execute(self._statement, fetch_lobs=False, fetch_decimals=True)
        columns = cursor.description or []
        if any(column.type_code in _LARGE for column in columns):
            cursor.arraysize = _FETCH_LARGE_ROWS
        return [column.name for column in columns]

    def take(self, n_rows: int) -> Sequence[Row]:
        """See ServerSession. The driver asks for rows in portions of its own."""
        assert self._cursor is not None
        rows: list[Row] = self._cursor.fetchmany(n_rows)
        check_sizes(rows, self.limits.max_value_bytes)
        return rows

    def undo(self) -> None:
        """See ServerSession. One round trip, for all of it."""
        cursor, self._cursor = self._cursor, None
        if cursor is not None:
            cursor.close()
            with self._connection.cursor() as other:
                other.execute(self._putting_back())

    def cancel(self) -> None:
        """See ServerSession: a break on the connection."""
        self._connection.cancel()

    def disconnect(self) -> None:
        """See ServerSession. The driver may take one round trip to say goodbye, no longer than a second."""
        with contextlib.suppress(oracledb.Error):  # it is gone
            self._connection.call_timeout = 1_000
        self._connection.close()

    def explain(self, error: Exception) -> Failure:
        """See ServerSession."""
        if isinstance(error, ValueError | OverflowError):  # a date that Python cannot hold
            return Failure("failed", "unsupported_value", None, str(error))
        found, code, message = diagnosis(error)
        if found == "unknown_column" and is_called(message, self._statement):
            found = "unknown_function"
        if found == "interrupted":
            return Failure("timed_out", found, code, message)
        is_refused = found in ("forbidden", "not_a_read")
        return Failure("refused" if is_refused else "failed", found, code, message)

    def _settings(self) -> list[str]:
        """The statements that say all settings of a session."""
        settings = " ".join(f"{name} = '{value}'" for name, value in SETTINGS.items())
        found = [f"alter session set {settings}"]
        if self.address.search_path:
            schema = self.address.search_path[0].replace('"', "")  # no name of Oracle's holds one
            found.append(f'alter session set current_schema = "{schema}"')
        return found

    def _putting_back(self) -> str:
        lines = ["rollback", "dbms_session.modify_package_state(dbms_session.reinitialize)"]
        lines += ["execute immediate '" + text.replace("'", "''") + "'" for text in self._settings()]
        return "begin\n" + "".join(f"  {line};\n" for line in lines) + "end;"


def diagnosis(error: Exception) -> tuple[str, str | None, str]:
    """The class, the code (ORA-00942; the driver's own where the server said nothing) and the message."""
    details: Any = error.args[0] if isinstance(error, oracledb.Error) and error.args else None
    if not hasattr(details, "full_code"):
        is_lost = isinstance(error, OSError | ConnectTimedOut)
        return "connection" if is_lost else "other", None, str(error).strip()
    message = _NOISE.sub("", details.message).strip()
    number = details.code
    if number in _WRAPPERS and (cause := re.search(r"\nORA-(\d+): ", message)):
        number = int(cause[1])
    code = f"ORA-{number:05}" if number else details.full_code
    return class_of(number, details.full_code), code, message


# --- Values -------------------------------------------------------------------------------------------------

_LARGE = {
    oracledb.DB_TYPE_CLOB,
    oracledb.DB_TYPE_NCLOB,
    oracledb.DB_TYPE_BLOB,
    oracledb.DB_TYPE_LONG,
    oracledb.DB_TYPE_LONG_NVARCHAR,
    oracledb.DB_TYPE_LONG_RAW,
    oracledb.DB_TYPE_XMLTYPE,
    oracledb.DB_TYPE_JSON,
    oracledb.DB_TYPE_VECTOR,
}


def unpadded(value: str) -> str:
    """CHAR(n): the blanks that fill it up mean nothing."""
    return value.rstrip(" ")


def months_cell(value: Any) -> ReadyCell:
    """INTERVAL YEAR TO MONTH, whose two parts have one sign."""
    return interval_cell(value.years * 12 + value.months, 0, 0)


def days_cell(value: timedelta) -> ReadyCell:
    """INTERVAL DAY TO SECOND, whose days and seconds have one sign; Python's days are rounded down."""
    microseconds = value // timedelta(microseconds=1)
    sign = -1 if microseconds < 0 else 1
    days, rest = divmod(abs(microseconds), _MICROSECONDS_A_DAY)
    return interval_cell(0, sign * days, sign * rest)


def vector(value: Any) -> list[Any]:
    """VECTOR: its numbers, those of a sparse one in their places."""
    if hasattr(value, "indices"):
        dense = [0] * value.num_dimensions
        for index, number in zip(value.indices, value.values, strict=True):
            dense[index] = number
        return [_number(number, value.values.typecode) for number in dense]
    return [_number(number, value.typecode) for number in value]


def _number(number: Any, typecode: str) -> Any:
    return single(number) if typecode == "f" else number


_CONVERTERS: dict[Any, Callable[[Any], Any]] = {
    oracledb.DB_TYPE_CHAR: unpadded,
    oracledb.DB_TYPE_NCHAR: unpadded,
    oracledb.DB_TYPE_BINARY_FLOAT: single,
    oracledb.DB_TYPE_INTERVAL_YM: months_cell,
    oracledb.DB_TYPE_INTERVAL_DS: days_cell,
    oracledb.DB_TYPE_JSON: json_of,
    oracledb.DB_TYPE_VECTOR: vector,
}
_AS_TEXT = {
    oracledb.DB_TYPE_VARCHAR: oracledb.DB_TYPE_VARCHAR,
    oracledb.DB_TYPE_CLOB: oracledb.DB_TYPE_LONG,
}


def output_type(cursor: Any, column: Any) -> Any:
    """How a column is fetched, where not as the driver would. Called for each column of a result."""
    kind = column.type_code
    if kind in _AS_TEXT and column.is_json and not column.is_oson:
        # The driver would parse it, and its numbers would be floats.
        return cursor.var(_AS_TEXT[kind], arraysize=cursor.arraysize, outconverter=json_text)
    if kind in _CONVERTERS:
        return cursor.var(kind, arraysize=cursor.arraysize, outconverter=_CONVERTERS[kind])
    return None
