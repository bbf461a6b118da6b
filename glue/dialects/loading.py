"""A script in a dialect makes a local database: its tables, rows, comments and views.

What is neither a table nor a row nor a view (indexes, sequences, procedures, grants, the client's own
commands) is skipped and counted; what fails is reported with its file and line, and nothing stops at it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.load_statements import FAILURES, Loader
from glue.dialects.local import LocalSession
from glue.dialects.scripts import Statement, statements_of


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """A statement that was not obeyed: `code` is the dialect's, or None where it is not supported here."""

    path: str
    line: int
    code: str | None
    message: str


@dataclass(slots=True)
class LoadReport:
    """What came of a script: rows by table, views, what was skipped by its first words, and what failed."""

    n_rows: dict[str, int] = field(default_factory=dict)
    views: list[str] = field(default_factory=list)
    n_skipped: Counter[str] = field(default_factory=Counter)
    not_kept: list[str] = field(default_factory=list)
    """Constraints that DuckDB does not hold, each with its table and why."""
    failures: list[LoadFailure] = field(default_factory=list)


def load_script(session: LocalSession, path: Path) -> LoadReport:
    """Obey a script, and those that it runs. FileNotFoundError where it is not there."""
    return _load(session, statements_of(path, session.dialect))


def load_scripts(session: LocalSession, paths: Sequence[Path]) -> LoadReport:
    """Obey scripts one after another as if they were one: a later one may still change a table."""
    return _load(session, (statement for path in paths for statement in statements_of(path, session.dialect)))


def load_statements(session: LocalSession, statements: Sequence[str]) -> LoadReport:
    """Obey statements; their places are told as lines, one for each."""
    return _load(session, (Statement(text, "-", line) for line, text in enumerate(statements, 1)))


def _load(session: LocalSession, statements: Iterable[Statement]) -> LoadReport:
    report = LoadReport()
    loader = Loader(session)
    for statement in statements:
        try:
            loader.obey(statement)
        except FAILURES as error:
            loader.failures.append((statement, error))
    loader.finish()
    report.n_rows = loader.n_rows
    report.views = loader.views
    report.n_skipped = loader.n_skipped
    report.not_kept = loader.not_kept
    report.failures = [_failure(statement, error) for statement, error in loader.failures]
    report.failures.sort(key=lambda failure: (failure.path, failure.line))
    return report


def _failure(statement: Statement, error: Exception) -> LoadFailure:
    if isinstance(error, DialectError):
        return LoadFailure(statement.path, statement.line, error.code, error.message)
    said = str(error) if isinstance(error, UnsupportedError) else f"DuckDB says: {error}"
    return LoadFailure(statement.path, statement.line, None, said)
