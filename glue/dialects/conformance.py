"""Runs a file of conformance cases in a dialect, and says of each whether the answer is the right one.

A case is a line of JSON: `id`, `topic`, `setup` (statements that make its tables), `sql`, `ordered`, and
`expected` (rows) or `error` (the server's code); `settings` may say the server's `version` and what its clock
says (`now`). Each case has a database of its own.

An answer is `pass`; `wrong`, rows where other rows or an error are right; `wrong_error`, an error where
another or none is right, among them errors of DuckDB that mean nothing in the dialect; or `unsupported`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Context, Decimal
from pathlib import Path
from typing import Any, Literal, Protocol

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.loading import load_statements
from glue.dialects.local import LocalSession
from glue.duckdb_faults import RIGHT_ANSWERS
from glue.errors import GlueError

Outcome = Literal["pass", "wrong", "wrong_error", "unsupported"]
OUTCOMES: tuple[Outcome, ...] = ("pass", "wrong", "wrong_error", "unsupported")

_KNOWN_DIGITS = Context(prec=15)
_FRACTION = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d*?)0*")
TIME_LIMIT_S = 20
_NEEDED = ("id", "topic", "setup", "sql", "ordered")


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `expected` is None where an error is right, `error` where rows are."""

    id: str
    topic: str
    setup: tuple[str, ...]
    sql: str
    is_ordered: bool
    expected: tuple[tuple[Any, ...], ...] | None
    error: str | None
    now: datetime | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a case: rows, or a code of the dialect, or why it is unsupported, or another failure."""

    rows: tuple[tuple[Any, ...], ...] | None = None
    code: str | None = None
    unsupported: str | None = None
    failure: str | None = None
    message: str = ""

    def __str__(self) -> str:
        if self.rows is not None:
            return json.dumps([[cell_text(cell) for cell in row] for row in self.rows], ensure_ascii=False)
        if self.code is not None:
            return f"{self.code}: {self.message}"
        return self.unsupported or self.failure or ""


@dataclass(frozen=True, slots=True)
class Result:
    """A case, its outcome, and what was answered."""

    case: Case
    outcome: Outcome
    answer: Answer


class Server(Protocol):
    """What answers cases: a local session, or the real server."""

    def answer(self, case: Case) -> Answer:
        """What comes of a case in a database of its own."""


def read_cases(path: Path) -> list[Case]:
    """The cases of a file. GlueError for a line that is none."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_case(line, path, number) for number, line in enumerate(lines, 1) if line.strip()]


def _case(line: str, path: Path, number: int) -> Case:
    try:
        said = json.loads(line)
        missing = [name for name in _NEEDED if name not in said]
        if missing or ("expected" in said) == ("error" in said):
            raise ValueError(f"it has no {', '.join(missing) or 'expected or error, or both'}")
        settings = said.get("settings", {})
        expected = said.get("expected")
        return Case(
            said["id"],
            said["topic"],
            tuple(said["setup"]),
            said["sql"],
            bool(said["ordered"]),
            None if expected is None else tuple(tuple(row) for row in expected),
            said.get("error"),
            datetime.fromisoformat(settings["now"]) if "now" in settings else None,
            int(re.findall(r"\d+", str(settings["version"]))[0]) if "version" in settings else None,
        )
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        raise GlueError(
            f"{path}, line {number} is no conformance case: {error}",
            "a case is a JSON object with id, topic, setup, sql, ordered, and expected or error",
        ) from error


def run_cases(cases: Iterable[Case], server: Server) -> Iterator[Result]:
    """The cases' outcomes, in their order."""
    for case in cases:
        answer = server.answer(case)
        yield Result(case, judge(case, answer), answer)


def judge(case: Case, answer: Answer) -> Outcome:
    """Is the answer the right one?"""
    if answer.unsupported is not None:
        return "unsupported"
    if answer.rows is None:
        is_right = case.error is not None and answer.code == case.error
        return "pass" if is_right else "wrong_error"
    if case.expected is None:
        return "wrong"
    right, found = (
        [tuple(_comparable(cell) for cell in row) for row in rows] for rows in (case.expected, answer.rows)
    )
    if not case.is_ordered:
        right.sort(key=repr)
        found.sort(key=repr)
    return "pass" if right == found else "wrong"


def cell_text(cell: Any) -> Any:
    """A cell as cases write it: moments as 'YYYY-MM-DD HH:MM:SS', numbers as numbers, others as texts."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, int):
        return cell
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, float):
        return cell if cell == cell and abs(cell) != float("inf") else str(cell)
    if isinstance(cell, datetime):
        return _without_zeros(cell.replace(tzinfo=None).isoformat(" "))
    if isinstance(cell, date):
        return f"{cell.isoformat()} 00:00:00"
    if isinstance(cell, time):
        return cell.isoformat()
    if isinstance(cell, bytes | bytearray):
        return bytes(cell).hex().upper()
    return str(cell)


def _without_zeros(text: str) -> str:
    fine = _FRACTION.fullmatch(text)
    return fine[1].rstrip(".") if fine else text


def _comparable(cell: Any) -> tuple[str, Any]:
    """A cell of which equal ones are the same: numbers to 15 digits."""
    value = cell_text(cell)
    if isinstance(value, int | float):
        exact = Decimal(cell) if isinstance(cell, int | Decimal) else Decimal(repr(value))
        number = _KNOWN_DIGITS.plus(exact).normalize()
        return "number", str(number if number else Decimal(0))
    return "text", _without_zeros(value) if isinstance(value, str) else value


class LocalServer:
    """Answers in local sessions: one for each version and clock, and in it a database for each case."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._sessions: dict[tuple[int | None, datetime | None], LocalSession] = {}
        self._n_cases = 0

    def answer(self, case: Case) -> Answer:
        """What comes of the case; whatever goes wrong is an answer too."""
        import duckdb

        key = case.version, case.now
        try:
            session = self._session(key)
            with _own_database(session, self._n_cases), _time_limit(session.connection):
                return _answered(session, case)
        except DialectError as error:
            return Answer(code=error.code, message=error.message)
        except UnsupportedError as error:
            return Answer(unsupported=str(error))
        except duckdb.Error as error:
            if isinstance(error, duckdb.FatalException | duckdb.ConnectionException):
                del self._sessions[key]
            if isinstance(error, duckdb.InterruptException):
                return Answer(failure=f"no answer in {TIME_LIMIT_S} seconds")
            return Answer(failure=f"DuckDB: {error}")
        except Exception as error:  # a mistake of ours is told with its case, and the others go on
            return Answer(failure=f"{type(error).__name__}: {error}")

    def _session(self, key: tuple[int | None, datetime | None]) -> LocalSession:
        import duckdb

        self._n_cases += 1
        if key not in self._sessions:
            version, now = key
            self._sessions[key] = LocalSession(
                duckdb.connect(config=dict(RIGHT_ANSWERS)), self._dialect, version, now
            )
        return self._sessions[key]


def _answered(session: LocalSession, case: Case) -> Answer:
    report = load_statements(session, case.setup)
    if report.failures:
        first = report.failures[0]
        code = f"{first.code}: " if first.code else ""
        return Answer(unsupported=f"statement {first.line} of its setup: {code}{first.message}")
    _, rows = session.query(case.sql)
    return Answer(rows=tuple(rows))


@contextmanager
def _own_database(session: LocalSession, number: int) -> Iterator[None]:
    """A new empty database for the session."""
    name = f"case_{number}"
    session.connection.execute(f"attach ':memory:' as {name}; use {name}")
    session.read_tables()
    try:
        yield
    finally:
        session.connection.execute(f"use memory; detach {name}")


@contextmanager
def _time_limit(connection: Any) -> Iterator[None]:
    timer = threading.Timer(TIME_LIMIT_S, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def counts_by_topic(results: Sequence[Result]) -> dict[str, dict[Outcome, int]]:
    """How many cases of each topic had each outcome."""
    counts: dict[str, dict[Outcome, int]] = {}
    for result in results:
        topic = counts.setdefault(result.case.topic, dict.fromkeys(OUTCOMES, 0))
        topic[result.outcome] += 1
    return counts
