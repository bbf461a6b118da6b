"""Query logs: one past query a record, as JSON lines, a JSON list, CSV or TSV.

| field | also read under | what |
|---|---|---|
| `sql` | `query`, `statement`, `sql_text`, `query_text`, … | the query's text |
| `db_id` | `database`, `database_name`, `schema`, … | its database, as the benchmark names it |
| `id` | `query_id`, `statement_id`, `job_id`, … | text or number, unique; default: the 0-based position |
| `question` | `nl_question`, `description` | what was asked, in words |
| `dialect` | | by sqlglot's name; default: the database's |
| `executed_at` | `timestamp`, `start_time`, `created_at`, … | ISO 8601, or seconds (ms, µs, ns) since 1970 |
| `outcome` | `status`, `state`, `execution_status` | succeeded or failed, in the words of the usual systems |
| `error` | `error_message`, `exception` | what the database said; without an outcome the query failed |
| `n_rows` | `row_count`, `rows_produced`, … | rows of its result |

Upper and lower case, blanks and hyphens in names make no difference. Nothing is filtered here: what failed,
is no query or was run twice lands too, and model `history_queries` says what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glue.errors import GlueError, nearest
from glue.home import Home
from glue.importers.common import (
    ImportBatch,
    check_name,
    id_text,
    is_storable,
    kind_of,
    known_dialect,
    landed_rows,
    listed,
    shown,
    storable,
)
from glue.importers.landed import LandedBenchmark, landed_benchmark
from glue.importers.records import Record, is_empty, read_records, told_first

FIELDS: dict[str, tuple[str, ...]] = {
    "sql": (
        "sql",
        "query",
        "statement",
        "sql_text",
        "query_text",
        "statement_text",
        "sql_query",
        "query_sql",
    ),
    "db_id": ("db_id", "database", "database_name", "db", "db_name", "datname", "schema", "schema_name"),
    "id": ("id", "history_query_id", "query_id", "question_id", "statement_id", "job_id", "queryid"),
    "question": ("question", "nl_question", "natural_language", "description"),
    "dialect": ("dialect", "sql_dialect"),
    "executed_at": (
        "executed_at",
        "timestamp",
        "start_time",
        "started_at",
        "query_start",
        "event_time",
        "creation_time",
        "created_at",
        "time",
        "end_time",
    ),
    "outcome": ("outcome", "status", "execution_status", "state", "query_status"),
    "error": ("error", "error_message", "error_msg", "exception", "error_text"),
    "n_rows": (
        "n_rows",
        "n_result_rows",
        "row_count",
        "rows_produced",
        "result_rows",
        "rows_returned",
        "rows",
    ),
}
"""The names under which each field is found; of several that are filled in, the first counts."""

_SUCCEEDED = {
    "succeeded",
    "success",
    "successful",
    "ok",
    "finished",
    "completed",
    "complete",
    "done",
    "queryfinish",
    "answered",
}
_FAILED = {
    "failed",
    "fail",
    "failure",
    "failed_with_error",
    "failed_with_incident",
    "error",
    "errored",
    "aborted",
    "abort",
    "canceled",
    "cancelled",
    "timeout",
    "timed_out",
    "timedout",
    "exception",
    "incident",
    "exceptionbeforestart",
    "exceptionwhileprocessing",
    "killed",
}
_EPOCH_UNITS = (1, 1_000, 1_000_000, 1_000_000_000)  # seconds, milliseconds, microseconds, nanoseconds
_LATEST_SECONDS = 32_503_680_000  # the year 3000
_COMPACT = re.compile(r"((?:19|20)\d{6})(\d{6})?")
"""20260131 or 20260131120000: ISO 8601 without separators."""

_WHOLE_NUMBER = re.compile(r"\+?0*([0-9]{1,19})(?:\.0*)?")


class _Wrong(Exception):
    """Why a value cannot be read; the advice comes second."""


def read_query_log(
    home: Home, path: Path, name: str, benchmark: str, db_id: str | None = None
) -> ImportBatch:
    """Read a query log as history `name`; its queries are of the databases of `benchmark`.

    `db_id`: the database of records that name none. GlueError when the benchmark has not landed, the name is
    blank or a benchmark's, the file cannot be read, or no record can land.
    """
    check_name(name)
    landed = landed_benchmark(home, benchmark)
    questions = landed_rows(home, "questions", ["benchmark"])
    if name in {row["benchmark"] for row in questions}:
        raise GlueError(
            f"{name!r} is a benchmark's name, whose golds are a history of that name already",
            "give the log another --name",
        )
    return _Reader(home, landed, path, name, db_id).read()


class _Reader:
    """Reads the records of one log into a batch."""

    def __init__(self, home: Home, landed: LandedBenchmark, path: Path, name: str, db_id: str | None) -> None:
        databases = landed_rows(home, "databases", ["import_id", "db_id"])
        known = {row["db_id"] for row in databases if row["import_id"] in landed.import_ids}
        known |= {question.db_id for question in landed.questions}
        self.path, self.landed, self.name = path, landed, name
        self.databases = sorted(known)
        self.by_name = {found.lower(): found for found in reversed(self.databases)}
        self.by_name |= {found: found for found in known}
        self.default = self._default(db_id)
        self.dialects = {
            question.db_id: question.dialect for question in landed.questions if question.dialect
        }
        options = {"history": name, "benchmark": landed.name, "db_id": db_id}
        title = f"history {name!r}"
        self.batch = ImportBatch("history", f"history:{name}", landed.name, options=options, title=title)
        self.seen: set[str] = set()
        self.has_ids = False
        self.n_naive = 0

    def _default(self, db_id: str | None) -> str | None:
        if db_id is None:
            return self.databases[0] if len(self.databases) == 1 else None
        if (known := self._known(db_id)) is not None:
            return known
        close = nearest(db_id, self.databases)
        hint = f"did you mean {close!r}?" if close else f"it has {listed(self.databases)}"
        raise GlueError(f"--db-id: {self.landed.name} has no database {db_id!r}", hint)

    def _known(self, name: str) -> str | None:
        """The database of a name, in any case where none is spelled so."""
        return self.by_name.get(name) or self.by_name.get(name.lower())

    def read(self) -> ImportBatch:
        """Land every record that can land, and give the batch. GlueError where none can."""
        records = read_records(self.path, self.batch, "FILE", FIELDS, "sql")
        self.has_ids = any(record.first(FIELDS["id"]) is not None for record in records)
        for record in records:
            self._add(record)
        return self._finished()

    def _add(self, record: Record) -> None:
        """Land a record; what cannot be read of it is refused by its place and field."""
        sql = record.first(FIELDS["sql"])
        if sql is not None and not (isinstance(sql, str) and is_storable(sql)):
            self._refuse(record, "sql", "not_text", f"{kind_of(sql)}: {shown(sql)}", "give a SQL text")
            return
        query_id = self._query_id(record)
        db_id = self._db_id(record) if query_id is not None else None
        if query_id is None or db_id is None:
            return
        self.seen.add(query_id)
        error = record.first(FIELDS["error"]) or None  # false, 0, [] and {} are no error
        outcome = self._read(record, "outcome", _outcome) or ("failed" if error is not None else None)
        self.batch.add(
            "history_queries",
            history=self.name,
            benchmark=self.landed.name,
            history_query_id=query_id,
            query_position=record.position,
            db_id=db_id,
            sql=sql,
            dialect=self._read(record, "dialect", _dialect) or self.dialects.get(db_id),
            question=self._read(record, "question", _text),
            executed_at=self._read(record, "executed_at", self._moment),
            outcome=outcome,
            error=None if error is None else storable(error if isinstance(error, str) else shown(error, 500)),
            n_result_rows=self._read(record, "n_rows", _count),
        )

    def _finished(self) -> ImportBatch:
        if not self.batch.rows.get("history_queries"):
            first = self.batch.refusals[0].advice if self.batch.refusals else "each needs sql and db_id"
            raise GlueError(f"no record of {self.path} can land{told_first(self.batch)}", first)
        self.batch.notes.insert(0, f"history {self.name}, on the databases of {self.landed.name}")
        if self.n_naive:
            self.batch.notes.append(f"{self.n_naive:,} times name no time zone: read as UTC")
        return self.batch

    def _query_id(self, record: Record) -> str | None:
        given = record.first(FIELDS["id"])
        if given is None:  # of a log with ids, a place is no id that another record may have
            query_id: str | None = record.place if self.has_ids else str(record.position)
        else:
            query_id = id_text(given)
        if query_id is None:
            self._refuse(
                record, "id", "malformed", f"{kind_of(given)}: {shown(given)}", "give it a text or number"
            )
        elif query_id in self.seen:
            self._refuse(
                record, "id", "duplicate", f"id {query_id} again", "the first counts; give it another id"
            )
            return None
        return query_id

    def _db_id(self, record: Record) -> str | None:
        """The first database that the benchmark knows of those that a record names (database, schema)."""
        given = [value for name in FIELDS["db_id"] if not is_empty(value := record.values.get(name))]
        named = [value.strip() for value in given if isinstance(value, str) and is_storable(value)]
        known = next(filter(None, map(self._known, named)), None)
        if known is not None:
            return known
        if not given and self.default is not None:
            return self.default
        if not named:
            detail = f"db_id is {kind_of(given[0] if given else None)}"
            self._refuse(record, "db_id", "missing", detail, "name its database, or give --db-id")
            return None
        close = nearest(named[0], self.databases)
        advice = f"did you mean {close!r}?" if close else f"it has {listed(self.databases, 5)}"
        detail = f"{self.landed.name} has no database {named[0]!r}"
        self._refuse(record, "db_id", "unknown_database", detail, advice, is_landed=True)
        return named[0]

    def _moment(self, value: Any) -> datetime:
        found = _moment(value)
        if found.tzinfo is None:
            self.n_naive += 1
            return found.replace(tzinfo=UTC)
        return found

    def _read(self, record: Record, field: str, read: Callable[[Any], Any]) -> Any:
        """A field's value; None, and a remark, where it cannot be read."""
        value = record.first(FIELDS[field])
        if value is None:
            return None
        try:
            return read(value)
        except _Wrong as wrong:
            reason, advice = "unreadable", f"it landed without {field}; {wrong}"
            self._refuse(record, field, reason, f"{field} is {shown(value)}", advice, is_landed=True)
            return None

    def _refuse(
        self, record: Record, field: str, reason: str, detail: str, advice: str, is_landed: bool = False
    ) -> None:
        self.batch.refuse(self.path, record.place, reason, detail, advice, field=field, is_landed=is_landed)


# --- Values -------------------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Wrong("make it a text")
    return storable(value)


def _dialect(value: Any) -> str:
    try:
        return known_dialect(_text(value))
    except GlueError as error:
        raise _Wrong(error.hint or "give sqlglot's name of it") from error


def _outcome(value: Any) -> str:
    if isinstance(value, bool):
        return "succeeded" if value else "failed"
    word = "_".join(str(value).strip().lower().split())
    if word in _SUCCEEDED:
        return "succeeded"
    if word in _FAILED:
        return "failed"
    raise _Wrong("outcomes: succeeded, failed")


def _count(value: Any) -> int:
    """A whole number; 7.0 too, as spreadsheets write a column in which some are missing."""
    whole = _WHOLE_NUMBER.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    if whole is None or int(whole[1]) >= 2**63:
        raise _Wrong("make it a whole number")
    return int(whole[1])


def _moment(value: Any) -> datetime:
    """A time, of ISO 8601 or since 1970 in seconds or a thousandth, millionth, … of them."""
    try:
        number = float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if digits := _COMPACT.fullmatch(str(value).strip()):
        value, number = "T".join(filter(None, digits.groups())), None
    try:
        if number is None:
            text = _text(value).strip()
            found = datetime.fromisoformat(
                text.removesuffix(" UTC") + ("+00:00" if text.endswith(" UTC") else "")
            )
            return found if found.tzinfo is None else found.astimezone(UTC)
        unit = next(unit for unit in _EPOCH_UNITS if abs(number) < _LATEST_SECONDS * unit)
        return datetime.fromtimestamp(number / unit, UTC)
    except (ValueError, OverflowError, StopIteration, OSError) as error:
        raise _Wrong("write it as 2026-01-31T12:00:00Z, or as seconds since 1970") from error
