"""MySQL and MariaDB through pymysql: a read-only transaction, rows as they come, the session reset after.

* Four round trips a statement: BEGIN, the statement, COM_RESET_CONNECTION, SET; one more where its limit is
  new. The reset rolls back and forgets user variables, GET_LOCK's locks, temporary tables, session variables.
* Rows are read off the socket and converted column by column. A result that is not read to its end cannot be
  stopped from this connection: it is killed through a second one, and this one is closed.
* A transaction that may only read still writes files and locks rows: INTO OUTFILE, LOAD_FILE and FOR UPDATE
  are refused here, whatever the user may do.
* `sql_mode` is the server's own, because the team's queries were written under it; only the modes that change
  what a text or a name looks like, or pad CHAR, are taken out.
* Whatever the mode, a read that divides by zero gets NULL, and MariaDB ends a recursion at its own limit
  (`max_recursive_iterations`) with the rows so far.
* An optimizer hint may lift MySQL's own limit (`MAX_EXECUTION_TIME(0)`): the cancel does not ask for it.
* MySQL's JSON is written as its own text; MariaDB's JSON is a text column and comes as it was stored. FLOAT
  has the six digits that the server writes. TIMESTAMP is in UTC and shows no zone.
"""

from __future__ import annotations

import configparser
import contextlib
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pymysql
from pymysql import err
from pymysql.connections import MAX_PACKET_LEN
from pymysql.optionfile import Parser

from glue.engines.base import Failure, Limits, Refused, Row, TooLarge
from glue.engines.columns import ColumnWriter
from glue.engines.mysql_columns import column_rows, column_writer, cut
from glue.engines.mysql_errors import error_class
from glue.engines.reads import MYSQL, code_words, one_read
from glue.engines.server import SERVER_GRACE_S, Address, ServerEngine, ServerSession
from glue.errors import GlueError, nearest

_CONNECT_TIMEOUT_S = 10
_CANCEL_TIMEOUT_S = 10
_BATCH_BYTES = 4 << 20
"""Rows of one fetch hold about so much, however many were asked for."""

_COM_RESET_CONNECTION = 0x1F
_NO_SUCH_THREAD = 1094
_INTERRUPTED = 1317
_SETTINGS = "NAMES utf8mb4, time_zone = '+00:00'"
_SYNTAX_MODES = "ANSI ANSI_QUOTES DB2 MAXDB MSSQL NO_BACKSLASH_ESCAPES ORACLE POSTGRESQL"
_DROPPED_MODES = frozenset([*_SYNTAX_MODES.split(), "PAD_CHAR_TO_FULL_LENGTH"])


def _flag(value: str) -> bool:
    return value.lower() in ("1", "true", "yes", "on")


_OPTIONS: dict[str, Callable[[str], Any]] = {
    "bind_address": str,
    "connect_timeout": int,
    "read_default_file": str,
    "read_default_group": str,
    "ssl_ca": str,
    "ssl_cert": str,
    "ssl_disabled": _flag,
    "ssl_key": str,
    "ssl_verify_cert": _flag,
    "ssl_verify_identity": _flag,
    "unix_socket": str,
}
"""What a connection's URL may set. Nothing here can let statements through, or files out."""


class MySQL(ServerEngine):
    """MySQL through pymysql."""

    name: ClassVar[str] = "mysql"
    title: ClassVar[str] = "MySQL"
    settings: ClassVar[str] = ""

    @staticmethod
    def limit(seconds: float) -> str:
        """The setting that limits a statement's time on the server."""
        return f"max_execution_time = {max(round(seconds * 1_000), 1)}"

    def open_server(self, address: Address, limits: Limits) -> MySQLSession:
        """Connect. pymysql.Error when that fails, GlueError for a server or an option that is not meant."""
        return MySQLSession(self, address, limits)

    def open_failure(self, error: Exception) -> Failure:
        """A database that cannot be reached is not at hand."""
        code, message = _parts(error)
        if isinstance(error, GlueError) and error.hint:
            message = f"{message}; {error.hint}"
        return Failure("no_database", "connection", code, message)

    def kill(self, address: Address, server_id: str) -> None:
        """See ServerEngine. A user may end its own sessions."""
        _kill(address, "CONNECTION", server_id)


class MariaDB(MySQL):
    """MariaDB through pymysql."""

    name: ClassVar[str] = "mariadb"
    title: ClassVar[str] = "MariaDB"
    settings: ClassVar[str] = ", idle_readonly_transaction_timeout = 60"  # of a client that has died

    @staticmethod
    def limit(seconds: float) -> str:
        """See MySQL."""
        return f"max_statement_time = {max(seconds, 0.001):.3f}"


def connected(address: Address, **more: Any) -> pymysql.Connection:
    """A connection as the driver makes it: one statement at a time, no local files."""
    given: dict[str, Any] = {"connect_timeout": _CONNECT_TIMEOUT_S, **more}
    for name, value in address.options:
        if name not in _OPTIONS:
            close = nearest(name, list(_OPTIONS))
            hint = f"did you mean {close!r}?" if close else f"options: {', '.join(_OPTIONS)}"
            raise GlueError(f"a connection to {address.engine} has no option {name!r}", hint)
        given[name] = _OPTIONS[name](value)
    password = _own_password() if address.password is None else address.password
    return pymysql.connect(
        host=address.host,
        port=address.port or 0,
        user=address.user,
        password=password.encode(),  # not every password is Latin-1, as pymysql thinks
        database=address.search_path[0] if address.search_path else address.database,
        charset="utf8mb4",
        autocommit=True,
        local_infile=False,
        program_name="evalhouse",
        **given,
    )


def _own_password() -> str:
    """The password in ~/.my.cnf, where MySQL's client finds it. Nothing else: no socket named there."""
    parser = Parser(strict=False, interpolation=None)
    with contextlib.suppress(OSError, configparser.Error, TypeError):
        parser.read(Path("~/.my.cnf").expanduser(), encoding="utf-8")
        return str(parser.get("client", "password"))
    return ""


def _kill(address: Address, what: str, server_id: str) -> None:
    timeouts = {"read_timeout": _CANCEL_TIMEOUT_S, "write_timeout": _CANCEL_TIMEOUT_S}
    with connected(address, **timeouts) as connection:
        try:
            connection.query(f"KILL {what} {int(server_id)}")
        except err.Error as error:
            if error.args[0] != _NO_SUCH_THREAD:
                raise


class MySQLSession(ServerSession):
    """One connection. See MySQL."""

    def __init__(self, engine: MySQL, address: Address, limits: Limits) -> None:
        super().__init__(address, limits)
        self._engine = engine
        self._connection = connected(address)
        self._columns: list[ColumnWriter] = []
        self._has_more = False
        self._is_begun = False
        self._told_limit = ""
        try:
            self._check_kind()
            self._settings = f"SET {_SETTINGS}, sql_mode = '{self._sql_mode()}'{engine.settings}"
            self._set_all()
        except BaseException:
            self.close()
            raise

    @property
    def server_id(self) -> str:
        """See ServerSession: what KILL takes."""
        return str(self._connection.thread_id())

    def start(self, sql: str) -> list[str]:
        """See ServerSession."""
        statement = one_read(sql, MYSQL)
        _check_harmless(statement)
        link = self._connection
        self._is_begun = True
        if self._limit() != self._told_limit:
            self._told_limit = self._limit()
            link.query(f"SET {self._told_limit}")
        link.query("START TRANSACTION READ ONLY")
        link.query(statement, unbuffered=True)
        result, link._result = link._result, None
        if not result.unbuffered_active:
            raise Refused("not_a_read", "the statement gives no rows")
        result.unbuffered_active = False  # or it would read to its end before it is let go
        self._has_more = True
        self._columns = [column_writer(field) for field in result.fields]
        return [field.name for field in result.fields]

    def take(self, n_rows: int) -> Sequence[Row]:
        """See ServerSession."""
        if self._is_interrupted:  # what has been sent is not worth reading
            raise err.OperationalError(_INTERRUPTED, "the statement was cancelled")
        rows: list[list[bytes | None]] = []
        n_bytes = 0
        while self._has_more and len(rows) < n_rows and n_bytes < _BATCH_BYTES:
            packet = self._packet()
            n_bytes += len(packet)
            if packet[0] == 0xFE and len(packet) < 9:
                self._has_more = False
                self._check_whole()
            elif packet[0] == 0xFF:
                self._has_more = False
                err.raise_mysql_exception(packet)
            else:
                rows.append(cut(packet))
                if len(packet) > self.limits.max_value_bytes:
                    self._check_values(rows[-1])
        return column_rows(rows, self._columns)

    def undo(self) -> None:
        """See ServerSession."""
        if self._has_more:
            self._has_more = False
            with contextlib.suppress(Exception):
                self.cancel()
            raise err.InterfaceError(0, "the result was not read to its end")
        if self._is_begun:
            self._is_begun = False
            self._connection._execute_command(_COM_RESET_CONNECTION, b"")
            self._connection._read_ok_packet()
            self._set_all()

    def cancel(self) -> None:
        """See ServerSession."""
        _kill(self.address, "QUERY", self.server_id)

    def disconnect(self) -> None:
        """See ServerSession."""
        self._connection._force_close()

    def explain(self, error: Exception) -> Failure:
        """See ServerSession."""
        code, message = _parts(error)
        if code is None:
            found = "connection" if isinstance(error, err.InterfaceError) else "other"
            return Failure("failed", found, None, message)
        found = error_class(int(code), message)
        if found == "cancelled" and self.is_past_limit:
            found = "interrupted"
        outcome = {"interrupted": "timed_out", "forbidden": "refused"}.get(found, "failed")
        return Failure(outcome, found, code, message)

    def _check_kind(self) -> None:
        """The name of the engine is a claim: settings and results differ."""
        is_mariadb = "mariadb" in self._connection.server_version.lower()
        if is_mariadb != isinstance(self._engine, MariaDB):
            other = MariaDB if is_mariadb else MySQL
            raise GlueError(
                f"the server at {self.address.host} is {other.title}, not {self._engine.title}",
                f"make the connection's URL begin with {other.name}://",
            )

    def _sql_mode(self) -> str:
        self._connection.query("SELECT @@global.sql_mode")
        ((modes,),) = self._connection._result.rows
        return ",".join(mode for mode in modes.split(",") if mode not in _DROPPED_MODES)

    def _limit(self) -> str:
        return self._engine.limit(self.limit_s + SERVER_GRACE_S)

    def _set_all(self) -> None:
        """What the session runs under; a reset takes all of it away."""
        self._told_limit = self._limit()
        self._connection.query(f"{self._settings}, {self._told_limit}")

    def _packet(self) -> bytes:
        """The next packet, of which a very long row is only one part after another."""
        read = self._connection._read_bytes
        header = read(4)
        size = header[0] | header[1] << 8 | header[2] << 16
        packet: bytes = read(size) if size else b""
        if size < MAX_PACKET_LEN:
            return packet
        parts, total = [packet], size
        while size == MAX_PACKET_LEN:
            size = int.from_bytes(read(4)[:3], "little")
            total += size
            if total > 2 * self.limits.max_value_bytes:
                raise TooLarge(f"a row of the result has more than {2 * self.limits.max_value_bytes:,} bytes")
            parts.append(read(size) if size else b"")
        return b"".join(parts)

    def _check_whole(self) -> None:
        """SLEEP and BENCHMARK answer as if nothing were when they are stopped."""
        must_be_over_s = self._started_s + self.limit_s + SERVER_GRACE_S
        if self._is_interrupted or time.monotonic() >= must_be_over_s:
            raise err.OperationalError(_INTERRUPTED, "the statement was stopped before its result ended")

    def _check_values(self, row: Sequence[bytes | None]) -> None:
        longest = max(len(value) for value in row if value is not None)
        if longest > self.limits.max_value_bytes:
            raise TooLarge(f"a value has {longest:,} bytes, more than {self.limits.max_value_bytes:,}")


def _parts(error: Exception) -> tuple[str | None, str]:
    """The server's or the driver's own number, and the message."""
    if isinstance(error, err.MySQLError) and len(error.args) == 2:
        code, message = error.args
        return (str(code) if code else None), str(message) or "the connection is closed"
    return None, str(error)


# --- What a read-only transaction lets through --------------------------------------------------------------

_MAY_HARM = re.compile(r"load_file|\b(update|share)\b", re.IGNORECASE)
_HARMS = {
    "LOAD_FILE reads files of the server": re.compile(r" (LOAD_FILE|`LOAD_FILE`) \( "),
    "a read that locks rows is not run": re.compile(r" FOR (UPDATE|SHARE) | LOCK IN SHARE MODE "),
}


def _check_harmless(statement: str) -> None:
    """Raise Refused for what reaches files, and for locks on rows.

    INTO a file is looked for in the whole text, so that nothing hangs on telling code from remarks.
    """
    lower = statement.lower()
    end = max(lower.rfind("outfile"), lower.rfind("dumpfile"))
    if end >= 0 and "into" in lower[:end]:
        raise Refused("forbidden", "SELECT … INTO a file is not a read")
    if not _MAY_HARM.search(statement):
        return
    words = f" {' '.join(code_words(statement, MYSQL))} "
    for message, pattern in _HARMS.items():
        if pattern.search(words):
            raise Refused("forbidden", message)
