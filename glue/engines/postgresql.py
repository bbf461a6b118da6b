"""PostgreSQL through psycopg: a read-only transaction, a cursor on the server, everything discarded after.

A statement takes two round trips and one for each further fetch: commands go out together (libpq's pipeline).
The server parses it as the query of DECLARE CURSOR, which takes one statement that reads and nothing else.
"""

from __future__ import annotations

import re
import select
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

import psycopg
from psycopg import pq
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader

from glue.cells import ReadyCell, interval_cell, json_text, time_cell, timestamp_cell
from glue.engines.base import Failure, Limits, Row
from glue.engines.postgresql_columns import ColumnLoading, moment_in_zone
from glue.engines.reads import POSTGRESQL, one_read
from glue.engines.server import SERVER_GRACE_S, Address, ServerEngine, ServerSession

_CONNECT_TIMEOUT_S = 10
_MAX_LOADING = 100
"""Kinds of results, by the types of their columns, whose loaders are kept."""
_FIRST_ROWS = 16
"""Rows that come with the statement's own round trip."""

_BAD = int(pq.ConnStatus.BAD)
_SYNC, _ERROR = int(pq.ExecStatus.PIPELINE_SYNC), int(pq.ExecStatus.FATAL_ERROR)
"""As plain numbers: an enumeration takes longer to compare than a result to be read."""

_SETTINGS = {
    "default_transaction_read_only": "on",
    "cursor_tuple_fraction": "1",  # a cursor's plan is then the statement's own
    "idle_in_transaction_session_timeout": "60s",  # of a client that has died
    "client_connection_check_interval": "1s",
    "client_encoding": "UTF8",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "iso_8601",
    "lc_monetary": "C",
    "bytea_output": "hex",
    "extra_float_digits": "1",
}
"""Given with the connection, so that DISCARD ALL returns to them."""
_NOT_EVERYWHERE = "client_connection_check_interval"
"""A server on Windows, or before PostgreSQL 14, lets nobody in who gives it."""

_CLASSES = {
    "42601": "syntax",
    "42P02": "syntax",
    "08P01": "syntax",  # $1: a parameter, and none is given
    "42P01": "unknown_table",
    "3F000": "unknown_table",
    "42703": "unknown_column",
    "42702": "ambiguous",
    "42725": "ambiguous",
    "42P09": "ambiguous",
    "42712": "ambiguous",
    "42883": "unknown_function",
    "42704": "unknown_function",
    "42803": "aggregate_misuse",
    "42P20": "aggregate_misuse",
    "22012": "division",
    "42501": "permission",
    "21000": "shape",
    "42P10": "shape",
    "42611": "shape",
    "42804": "type",
    "42846": "type",
    "42P18": "type",
    "42P21": "type",
    "42P22": "type",
    "57014": "cancelled",
    "25001": "forbidden",  # the transaction is to write, or to be another one
    "25006": "forbidden",
    "25P03": "connection",
    "58000": "resource",
    "58030": "resource",
}
_SYNTAX_CLASSES = {
    "transformSubLink": "shape",
    "transformSetOperationTree": "shape",
    "transformValuesClause": "shape",
    "make_row_comparison_op": "shape",
}
"""42601 that is not the parser's, by the server's function that raised it: messages may be translated."""
_MEMORY = re.compile(r"out of memory|cannot allocate memory")
"""What libpq says where this process has no memory left."""
_NO_READS = {("0A000", "transformDeclareCursorStmt"), ("42601", "transformSelectStmt")}
"""Writing CTEs, and SELECT … INTO."""
_CLASSES_BY_KIND = {
    "08": "connection",
    "57": "connection",
    "53": "resource",
    "54": "too_complex",
    "22": "type",
}


class PostgreSQL(ServerEngine):
    """PostgreSQL through psycopg 3."""

    name: ClassVar[str] = "postgresql"

    def open_server(self, address: Address, limits: Limits) -> PostgreSQLSession:
        """Connect. psycopg.Error when that fails."""
        return PostgreSQLSession(address, limits)

    def open_failure(self, error: Exception) -> Failure:
        """A database that cannot be reached is not at hand."""
        return Failure("no_database", "connection", getattr(error, "sqlstate", None), str(error).strip())

    def kill(self, address: Address, server_id: str) -> None:
        """See ServerEngine. A role may end its own sessions."""
        with connected(address) as connection:
            connection.execute("select pg_catalog.pg_terminate_backend(%s)", [int(server_id)])


def connected(address: Address) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection with the settings of a session, outside any transaction."""
    try:
        return _connected(address, _SETTINGS)
    except psycopg.OperationalError as error:
        if _NOT_EVERYWHERE not in str(error):
            raise
    return _connected(address, {name: value for name, value in _SETTINGS.items() if name != _NOT_EVERYWHERE})


def _connected(address: Address, settings: Mapping[str, str]) -> psycopg.Connection[tuple[Any, ...]]:
    settings = dict(settings)
    if address.search_path:
        settings["search_path"] = ", ".join(
            f'"{name.replace(chr(34), chr(34) * 2)}"' for name in address.search_path
        )
    told = " ".join(f"-c {name}={_escaped(value)}" for name, value in settings.items())
    given: dict[str, Any] = {
        "connect_timeout": _CONNECT_TIMEOUT_S,
        "application_name": "evalhouse",
        "tcp_user_timeout": 30_000,
        **dict(address.options),
        "host": address.host,
        "port": address.port,
        "dbname": address.database,
        "user": address.user,
        "password": address.password,
    }
    given["options"] = f"{given.get('options', '')} {told}".strip()
    return psycopg.connect(**given, autocommit=True, prepare_threshold=None)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


class PostgreSQLSession(ServerSession):
    """One connection. See PostgreSQL."""

    def __init__(self, address: Address, limits: Limits) -> None:
        super().__init__(address, limits)
        self._connection = connected(address)
        _register(self._connection)
        self._rows: Sequence[Row] = []
        self._loading: dict[tuple[int, ...], ColumnLoading] = {}
        self._has_more = False
        self._is_begun = False

    @property
    def server_id(self) -> str:
        """See ServerSession: the backend's process id."""
        return str(self._connection.info.backend_pid)

    def start(self, sql: str) -> list[str]:
        """See ServerSession."""
        statement = one_read(sql, POSTGRESQL)
        self._is_begun = True
        *_, rows = self._answers(
            b"BEGIN READ ONLY",
            self._limit(),
            b"DECLARE evalhouse NO SCROLL CURSOR WITHOUT HOLD FOR " + statement.encode(),
            b"FETCH FORWARD %d FROM evalhouse" % _FIRST_ROWS,
        )
        self._rows = self._loaded(rows)
        self._has_more = rows.ntuples == _FIRST_ROWS
        return [(rows.fname(place) or b"").decode() for place in range(rows.nfields)]

    def take(self, n_rows: int) -> Sequence[Row]:
        """See ServerSession."""
        if self._rows:
            rows, self._rows = self._rows, []
            return rows
        if not self._has_more:
            return []
        *_, found = self._answers(self._limit(), b"FETCH FORWARD %d FROM evalhouse" % n_rows)
        self._has_more = found.ntuples == n_rows
        return self._loaded(found)

    def _limit(self) -> bytes:
        """Said again with each fetch: the rows before may have called set_config."""
        return b"SET LOCAL statement_timeout = %d" % round((self.limit_s + SERVER_GRACE_S) * 1_000)

    def undo(self) -> None:
        """See ServerSession."""
        self._rows, self._has_more = [], False
        if self._is_begun:
            self._is_begun = False
            self._answers(b"ROLLBACK", None, b"DISCARD ALL")

    def cancel(self) -> None:
        """See ServerSession."""
        self._connection.cancel_safe(timeout=_CONNECT_TIMEOUT_S)

    def disconnect(self) -> None:
        """See ServerSession."""
        self._connection.close()

    def explain(self, error: Exception) -> Failure:
        """See ServerSession."""
        code = getattr(error, "sqlstate", None)
        diagnosis = getattr(error, "diag", None)
        message = getattr(diagnosis, "message_primary", None) or str(error).strip()
        if code is None:
            found = "connection" if isinstance(error, psycopg.OperationalError) else "other"
            return Failure("failed", "resource" if _MEMORY.search(message) else found, None, message)
        where = str(getattr(diagnosis, "source_function", None))
        if (code, where) in _NO_READS:
            return Failure("refused", "not_a_read", code, message)
        found = _CLASSES.get(code) or _CLASSES_BY_KIND.get(code[:2], "other")
        if found == "syntax":
            found = "too_complex" if "memory exhausted" in message else _SYNTAX_CLASSES.get(where, found)
        if found == "cancelled" and self.is_past_limit:
            return Failure("timed_out", "interrupted", code, message)
        return Failure("refused" if found == "forbidden" else "failed", found, code, message)

    # libpq's pipeline

    def _answers(self, *commands: bytes | None) -> list[pq.abc.PGresult]:
        """Send commands together and give their results; None parts them into transactions of their own.

        Raises the first error, once all have been answered.
        """
        link = self._connection.pgconn
        link.enter_pipeline_mode()
        for command in commands:
            if command is None:
                link.pipeline_sync()
            else:
                link.send_query_params(command, None)
        link.pipeline_sync()
        n_syncs = commands.count(None) + 1
        answers: list[pq.abc.PGresult] = []
        is_busy, sockets = link.is_busy, [link.socket]
        while n_syncs:
            while is_busy():  # the wait is Python's, so that the attendant is not kept from its work
                select.select(sockets, [], [])
                link.consume_input()
            found = link.get_result()
            if found is None:
                if link.status == _BAD:
                    raise psycopg.OperationalError(link.get_error_message())
            elif found.status == _SYNC:
                n_syncs -= 1
            else:
                answers.append(found)
        link.exit_pipeline_mode()
        for found in answers:
            if found.status == _ERROR:
                raise psycopg.errors.error_from_result(found, encoding="utf-8")
        return answers

    def _loaded(self, found: pq.abc.PGresult) -> Sequence[Row]:
        types = tuple([found.ftype(place) for place in range(found.nfields)])
        loaded = self._loading.get(types)
        if loaded is None:
            if len(self._loading) >= _MAX_LOADING:
                self._loading.clear()
            loaded = self._loading[types] = ColumnLoading(self._connection, types)
        return loaded.rows(found)


# --- Values -------------------------------------------------------------------------------------------------


class _TextLoader(Loader):
    """A value as the server writes it."""

    def load(self, data: Buffer) -> Any:
        return self.value(bytes(data).decode())

    def value(self, text: str) -> Any:
        return text


class _PaddedLoader(_TextLoader):
    """CHAR(n): the blanks that fill it up mean nothing."""

    def value(self, text: str) -> str:
        return text.rstrip(" ")


class _MomentLoader(_TextLoader):
    """Dates and timestamps, among them infinity and the years before Christ."""

    def value(self, text: str) -> ReadyCell:
        return timestamp_cell(text)


class _MomentInZoneLoader(_TextLoader):
    """The session's zone is UTC."""

    def value(self, text: str) -> ReadyCell:
        return moment_in_zone(text)


class _TimeLoader(_TextLoader):
    def value(self, text: str) -> ReadyCell:
        return time_cell(text)


class _TimeInZoneLoader(_TextLoader):
    """04:05:06.7+02 or -03:30."""

    def value(self, text: str) -> ReadyCell:
        place = max(text.rfind("+"), text.rfind("-"))
        offset = text[place:] if ":" in text[place:] else f"{text[place:]}:00"
        return ReadyCell(f"{time_cell(text[:place])}{offset}")


class _IntervalLoader(_TextLoader):
    """P1Y2M3DT4H5M6.7S, each part with a sign of its own; from PostgreSQL 17 on also infinity."""

    def value(self, text: str) -> ReadyCell:
        if not text.startswith("P"):
            return ReadyCell(f"i:{text}")
        months = days = 0
        microseconds = Decimal(0)
        date_part, _, time_part = text.partition("T")
        for number, unit in _PART.findall(date_part):
            if unit == "D":
                days += int(number)
            else:
                months += int(number) * {"Y": 12, "M": 1}[unit]
        for number, unit in _PART.findall(time_part):
            microseconds += Decimal(number) * {"H": 3_600_000_000, "M": 60_000_000, "S": 1_000_000}[unit]
        return interval_cell(months, days, int(microseconds))


class _MoneyLoader(_TextLoader):
    """-$1,234.50, in locale C."""

    def value(self, text: str) -> Decimal:
        return Decimal(re.sub(r"[^-\d.]", "", text))


class _JSONLoader(_TextLoader):
    """Equal documents are equal texts: as `jsonb` writes them."""

    def value(self, text: str) -> str:
        return json_text(text)


_PART = re.compile(r"(-?[\d.]+)([A-Z])")

_LOADERS: dict[type[Loader], str] = {
    _PaddedLoader: "bpchar",
    _MomentLoader: "date timestamp",
    _MomentInZoneLoader: "timestamptz",
    _TimeLoader: "time",
    _TimeInZoneLoader: "timetz",
    _IntervalLoader: "interval",
    _MoneyLoader: "money",
    _JSONLoader: "json",
    _TextLoader: """
        jsonb uuid inet cidr record
        int4range int8range numrange daterange tsrange tstzrange
        int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange
    """,
}


def _register(context: AdaptContext) -> None:
    for loader, names in _LOADERS.items():
        for name in names.split():
            context.adapters.register_loader(name, loader)
