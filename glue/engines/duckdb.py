"""DuckDB: a read-only file, no access to anything else, the configuration locked, all given at connect."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import duckdb

from glue.cells import ReadyCell, interval_cell, time_cell, timestamp_cell
from glue.duckdb_faults import RIGHT_ANSWERS
from glue.engines.base import (
    Engine,
    Failure,
    Limits,
    Member,
    Refused,
    Row,
    Session,
    TooManyDatabases,
    check_length,
    common_failure,
    shortened,
    too_many_databases,
)

if TYPE_CHECKING:
    import pyarrow as pa

_NANOSECONDS_PER_SECOND = 1_000_000_000
_NANOSECONDS_PER_DAY = 86_400 * _NANOSECONDS_PER_SECOND
_ARROW_BATCH_ROWS = 1_024

_CLASSES = [
    (re.compile(pattern, re.IGNORECASE), error_class)
    for pattern, error_class in [
        (r"^Interrupt", "interrupted"),
        (r"^Out of Memory", "resource"),
        (
            r"^Permission Error|disabled by configuration|configuration has been locked|read-only mode",
            "forbidden",
        ),
        (r"expression depth|too many|^Parser Error: .*memory", "too_complex"),
        (r"^Parser Error|were not provided for the following parameters", "syntax"),
        (
            r"^Catalog Error: .*function .*does not exist|^Catalog Error: .*is not an? .*function",
            "unknown_function",
        ),
        (r"^Catalog Error: (Table|View|Schema)|^Catalog Error: .*table .*does not exist", "unknown_table"),
        (r"Referenced table .* not found|catalog .* does not exist", "unknown_table"),
        (r"Ambiguous reference", "ambiguous"),
        (
            r"Referenced column|does not have a column named|column .* not found|Values list .* column",
            "unknown_column",
        ),
        (
            r"GROUP BY clause|cannot contain aggregates|cannot contain window|aggregate function calls",
            "aggregate_misuse",
        ),
        (r"No function matches|Cannot compare|Cannot mix|Could not choose a best candidate|cast", "type"),
        (r"^(Conversion|Mismatch Type|Invalid Type|Out of Range|Invalid Input) Error", "type"),
        (r"number of (result )?columns|Subquery returns|same number of|out of range - should be", "shape"),
        (r"^(IO|Connection|Serialization|Corrupt\w*) Error", "connection"),
    ]
]

_OUTCOMES = {"interrupted": "timed_out", "forbidden": "refused"}


class DuckDB(Engine):
    """DuckDB through its Python package."""

    name: ClassVar[str] = "duckdb"
    has_prepared_copies: ClassVar[bool] = (
        False  # its own zone maps and statistics serve; indexes change little
    )

    def open(self, path: Path, limits: Limits) -> Session:
        """Open a database file that no process is writing. duckdb.Error when that fails."""
        connection = duckdb.connect(str(path), read_only=True, config=configuration(limits))
        return DuckDBSession(connection, limits)

    def open_union(self, members: Sequence[Member], limits: Limits) -> Session:
        """See Engine and duckdb_union."""
        from glue.engines.duckdb_union import DuckDBUnionSession

        return DuckDBUnionSession(members, limits)

    def open_failure(self, error: Exception) -> Failure:
        """A database that cannot be opened is not at hand."""
        if isinstance(error, TooManyDatabases):
            return too_many_databases(error)
        return Failure("no_database", "connection", _code(error), shortened(str(error)))

    def log_files(self, path: Path) -> list[Path]:
        """A write-ahead log beside the file."""
        log = path.with_name(f"{path.name}.wal")
        return [log] if log.exists() else []


def configuration(limits: Limits) -> dict[str, str | bool | int | float | list[str]]:
    """The settings a session is opened with; the last one forbids every later change."""
    return {
        **RIGHT_ANSWERS,
        "enable_external_access": "false",
        "memory_limit": f"{limits.max_memory_bytes * 3 // 4}B",
        "temp_directory": "",
        "threads": "1",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "python_scan_all_frames": "false",
        "lock_configuration": "true",
    }


def _whole_number(value: Any) -> Any:
    return ReadyCell(f"n:{value}") if isinstance(value, str) else value


def _moment(value: Any) -> Any:
    """A date or timestamp beyond the years 1 to 9999 comes as text."""
    return timestamp_cell(value) if isinstance(value, str) else value


def _moment_in_utc(value: Any) -> Any:
    return ReadyCell(f"{timestamp_cell(value.removesuffix('+00'))}Z") if isinstance(value, str) else value


CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "BIGNUM": _whole_number,
    "DATE": _moment,
    "TIMESTAMP": _moment,
    "TIMESTAMP_S": _moment,
    "TIMESTAMP_MS": _moment,
    "TIMESTAMP WITH TIME ZONE": _moment_in_utc,
}
"""What a value of a type, as DuckDB names it, still needs; NULL too is given."""


class DuckDBSession(Session):
    """One connection that is as restricted as it will be. See DuckDB."""

    converters: ClassVar[dict[str, Callable[[Any], Any]]] = CONVERTERS

    def __init__(self, connection: duckdb.DuckDBPyConnection, limits: Limits) -> None:
        self._limits = limits
        self._connection = connection
        self._converters: dict[int, Callable[[Any], Any]] = {}
        self._arrow_rows: Iterator[Row] | None = None

    def execute(self, sql: str, as_raw_text: bool = False) -> list[str]:
        """See Session. DuckDB's text is always UTF-8."""
        check_length(sql, self._limits)
        return self.run(sql)

    def run(self, sql: str) -> list[str]:
        """Start one statement of any length and name its columns. Raises Refused or duckdb.Error."""
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1:
            if not statements:
                raise Refused("empty", "the text holds no statement")
            raise Refused("multiple_statements", f"the text holds {len(statements)} statements")
        kind = statements[0].type
        if kind != duckdb.StatementType.SELECT:
            raise Refused("not_a_read", f"{kind.name} is not a read")
        self._connection.execute(statements[0])
        columns = self._connection.description or []
        types = [str(column[1]) for column in columns]
        self._converters = {
            index: self.converters[name] for index, name in enumerate(types) if name in self.converters
        }
        if any(_LOST_IN_PYTHON.search(name) for name in types):
            self._connection.abort()  # the relation below runs the statement from the start
            relation = self._connection.sql(statements[0])
            self._arrow_rows = _rows_of(relation.to_arrow_reader(_ARROW_BATCH_ROWS))
        return [column[0] for column in columns]

    def fetch(self, n_rows: int) -> Sequence[Row]:
        """See Session."""
        if self._arrow_rows is not None:
            rows = list(islice(self._arrow_rows, n_rows))
        else:
            rows = self._connection.fetchmany(n_rows)
        return self._converted(rows) if self._converters else rows

    def finish(self) -> None:
        """See Session."""
        self._arrow_rows = None
        with contextlib.suppress(duckdb.Error):
            self._connection.abort()

    def interrupt(self) -> None:
        """See Session. Stops between two chunks of rows, not within one long function call."""
        self._connection.interrupt()

    def failure(self, error: Exception) -> Failure:
        """See Session."""
        common = common_failure(error)
        if common:
            return common
        message = str(error)
        is_fatal = isinstance(error, duckdb.FatalException | duckdb.InternalException)
        found = next((name for pattern, name in _CLASSES if pattern.search(message)), "other")
        return Failure(
            _OUTCOMES.get(found, "failed"),
            found,
            _code(error),
            shortened(message),
            is_session_lost=is_fatal or found in ("resource", "connection"),
            is_memory_short=found == "resource",
        )

    def close(self) -> None:
        """See Session."""
        self.finish()
        with contextlib.suppress(duckdb.Error):
            self._connection.close()

    def _converted(self, rows: list[Row]) -> list[Row]:
        converted = []
        for row in rows:
            values = list(row)
            for index, convert in self._converters.items():
                values[index] = convert(values[index])
            converted.append(tuple(values))
        return converted


# --- What Python's types would lose -------------------------------------------------------------------------

_LOST_IN_PYTHON = re.compile(r"INTERVAL|_NS\b")
"""Intervals become a timedelta (a month, 30 days), nanoseconds are cut: these are read through Arrow."""


def _rows_of(reader: pa.RecordBatchReader) -> Iterator[Row]:
    for batch in reader:
        yield from zip(*map(_arrow_values, batch.columns), strict=True)


def _arrow_values(column: pa.Array) -> list[Any]:
    import pyarrow as pa

    if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
        return [None if value is None else _nanosecond_cell(value) for value in _as_numbers(column)]
    if pa.types.is_time64(column.type) and column.type.unit == "ns":
        return [None if value is None else _nanosecond_time_cell(value) for value in _as_numbers(column)]
    return [_with_interval_cells(value) for value in column.to_pylist()]


def _as_numbers(column: pa.Array) -> list[int | None]:
    import pyarrow as pa

    numbers: list[int | None] = column.cast(pa.int64()).to_pylist()
    return numbers


def _nanosecond_cell(nanoseconds: int) -> ReadyCell:
    seconds, rest = divmod(nanoseconds, _NANOSECONDS_PER_SECOND)
    whole = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None) + timedelta(seconds=seconds)
    return timestamp_cell(f"{whole.isoformat(' ')}.{rest:09d}")


def _nanosecond_time_cell(nanoseconds: int) -> ReadyCell:
    seconds, rest = divmod(nanoseconds % _NANOSECONDS_PER_DAY, _NANOSECONDS_PER_SECOND)
    minutes, second = divmod(seconds, 60)
    return time_cell(f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}.{rest:09d}")


def _with_interval_cells(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_interval_cells(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_interval_cells(item) for item in value]
    if type(value).__name__ == "MonthDayNano":
        return interval_cell(value.months, value.days, value.nanoseconds // 1_000)
    return value


def _code(error: Exception) -> str | None:
    return type(error).__name__ if isinstance(error, duckdb.Error) else None
