"""What an engine must do: open a database for hostile reads, run one statement, explain a failure.

A session lives in one worker process and runs one statement at a time. Whatever the statement is, the session
must leave the database and the disk as they were (DESIGN section 5).
"""

from __future__ import annotations

import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from glue.connection_urls import SERVER_KINDS
from glue.errors import GlueError, nearest

MAX_MEMBERS = 10
"""Databases that one statement of a union may mention: SQLite attaches no more."""
UNION_SUFFIX = "_union"
"""Ends the name of an engine where a statement runs on a union of its databases."""
MAX_STATEMENT_BYTES = 1_000_000
MAX_VALUE_BYTES = 32 << 20
MAX_MESSAGE_CHARACTERS = 2_000

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Limits:
    """What one session may use. `max_memory_bytes` is the worker's, in which the engine has to fit."""

    max_memory_bytes: int
    max_statement_bytes: int = MAX_STATEMENT_BYTES
    max_value_bytes: int = MAX_VALUE_BYTES


@dataclass(frozen=True)
class Member:
    """One database of a union, and its tables as (name in the database, name in the union).

    `path` is None where no data file of the union's engine is at hand: its tables are then unknown.
    """

    db_id: str
    path: str | None
    tables: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Failure:
    """Why a statement has no result.

    `outcome` is failed, refused, timed_out (interrupted), crashed, no_database, or unsupported: the engine
    that a local one stands in for would have an answer, and it is not known. `error_class` is a word that all
    engines share; `error_code` is the engine's own. `is_session_lost` asks for a new session,
    `is_memory_short` for a new process.
    """

    outcome: str
    error_class: str
    error_code: str | None
    error_message: str
    is_session_lost: bool = False
    is_memory_short: bool = False


class Refused(Exception):
    """A statement that is not run: `error_class` is empty, multiple_statements, not_a_read or forbidden."""

    def __init__(self, error_class: str, message: str) -> None:
        super().__init__(message)
        self.error_class = error_class
        self.message = message


class NotSQL(Exception):
    """A text that begins like no statement, and is not sent to a server."""


class TooComplex(Exception):
    """A statement beyond what an engine is asked to parse."""


class TooLarge(Exception):
    """A cell or a row of the result has more bytes or characters than the limits allow."""


class NotText(Exception):
    """A text of the result is not UTF-8: run the statement again with `as_raw_text`."""


class TooManyDatabases(Exception):
    """A union of more databases than can be attached at once."""


class Session(ABC):
    """An open database. Other threads may only call `interrupt`, and only while a statement runs."""

    is_closed: bool = False
    """Has it closed itself, so that the next statement needs another one?"""

    def limit_time(self, seconds: float) -> None:  # noqa: B027
        """The next statement may take so long: what a server can be told besides being interrupted."""

    @abstractmethod
    def execute(self, sql: str, as_raw_text: bool = False) -> list[str]:
        """Start one statement and name its columns. Raises Refused, TooComplex or the engine's own errors.

        With `as_raw_text`, texts arrive as RawText.
        """

    @abstractmethod
    def fetch(self, n_rows: int) -> Sequence[Row]:
        """The next rows, at most `n_rows`; none at the end. Raises NotText or the engine's own errors."""

    @abstractmethod
    def finish(self) -> None:
        """Let go of the statement that ran, finished or not. Never raises."""

    @abstractmethod
    def interrupt(self) -> None:
        """Ask the running statement to stop; it then raises what `failure` explains as timed_out."""

    @abstractmethod
    def failure(self, error: Exception) -> Failure:
        """Explain an error of `execute` or `fetch`."""

    @abstractmethod
    def close(self) -> None:
        """Close the database. Never raises."""


class Engine(ABC):
    """One database engine."""

    name: ClassVar[str]
    has_prepared_copies: ClassVar[bool]
    """Does glue/prepared.py make indexed copies for it? Where not, the file itself stands in for its copy."""

    @abstractmethod
    def open(self, path: Path, limits: Limits) -> Session:
        """Open a database file that nobody changes, for reading alone. Raises the engine's errors."""

    @abstractmethod
    def open_union(self, members: Sequence[Member], limits: Limits) -> Session:
        """Open several files as one database in which each table has its name in the union, and no other.

        Raises TooManyDatabases or the engine's errors.
        """

    @abstractmethod
    def open_failure(self, error: Exception) -> Failure:
        """Explain an error of `open` or `open_union`: no_database, or failed for too many of them."""

    def log_files(self, path: Path) -> list[Path]:
        """Files beside `path` with content that it lacks, so that its digest does not tell all."""
        return []


_ENGINES = {
    "sqlite": "glue.engines.sqlite:SQLite",
    "duckdb": "glue.engines.duckdb:DuckDB",
    "postgresql": "glue.engines.postgresql:PostgreSQL",
    "mysql": "glue.engines.mysql:MySQL",
    "mariadb": "glue.engines.mysql:MariaDB",
    "oracle": "glue.engines.oracle:Oracle",
    "sqlserver": "glue.engines.sqlserver:SQLServer",
    "oracle-local": "glue.engines.oracle_local:OracleLocal",
    "mssql-local": "glue.engines.mssql_local:MSSQLLocal",
}


def engine_names() -> list[str]:
    """The engines that can run statements."""
    return list(_ENGINES)


def engine_named(name: str) -> Engine:
    """The engine of that name or of unions of it, imported now.

    GlueError names the nearest known one, or what to install where its driver is missing.
    """
    name = name.removesuffix(UNION_SUFFIX)
    if name not in _ENGINES:
        close = nearest(name, engine_names())
        hint = f"did you mean {close!r}?" if close else f"engines: {', '.join(engine_names())}"
        raise GlueError(f"there is no engine {name!r} that runs statements", hint)
    module, _, attribute = _ENGINES[name].partition(":")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        if name not in SERVER_KINDS:
            raise
        raise SERVER_KINDS[name].without_driver(error) from error
    engine = getattr(found, attribute)()
    assert isinstance(engine, Engine)
    return engine


def check_members(members: Sequence[Member]) -> None:
    """Raise TooManyDatabases for more members than a union may have, with data at hand or not."""
    if len(members) > MAX_MEMBERS:
        raise TooManyDatabases(
            f"the statement mentions {len(members)} databases, more than {MAX_MEMBERS} at once"
        )


def too_many_databases(error: TooManyDatabases) -> Failure:
    """What every engine says of a union that is too large."""
    return Failure("failed", "too_many_databases", None, str(error))


def without_data(failure: Failure, members: Sequence[Member]) -> Failure:
    """The same failure, or `no_data` where the table that is not there is one of a member without a file."""
    if failure.error_class != "unknown_table":
        return failure
    absent = [shown_as for member in members if member.path is None for _, shown_as in member.tables]
    for name in absent:
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", failure.error_message, re.IGNORECASE):
            return replace(failure, error_class="no_data")
    return failure


def common_failure(error: Exception) -> Failure | None:
    """What every engine explains alike: refusals, limits, memory, texts that cannot be encoded."""
    if isinstance(error, Refused):
        return Failure("refused", error.error_class, None, shortened(error.message))
    if isinstance(error, NotSQL):
        return Failure("failed", "syntax", None, shortened(str(error)))
    if isinstance(error, TooComplex):
        return Failure("failed", "too_complex", None, shortened(str(error)))
    if isinstance(error, TooLarge):
        return Failure("failed", "resource", None, str(error), is_session_lost=True)
    if isinstance(error, MemoryError):
        return Failure(
            "failed",
            "resource",
            None,
            str(error) or "out of memory",
            is_session_lost=True,
            is_memory_short=True,
        )
    if isinstance(error, UnicodeError):
        return Failure("failed", "syntax", None, shortened(str(error)))
    if isinstance(error, TypeError):
        return Failure("failed", "unsupported_value", None, shortened(str(error)))
    return None


def shortened(message: str) -> str:
    """A message short enough to keep, made of text that can be stored."""
    clean = message.encode("utf-8", "replace").decode()
    return clean if len(clean) <= MAX_MESSAGE_CHARACTERS else f"{clean[:MAX_MESSAGE_CHARACTERS]}…"


def check_length(sql: str, limits: Limits) -> None:
    """Raise TooComplex for a statement that is longer than the limits allow."""
    if len(sql) * 4 <= limits.max_statement_bytes:
        return
    n_bytes = len(sql.encode("utf-8", "replace"))
    if n_bytes > limits.max_statement_bytes:
        raise TooComplex(f"the statement has {n_bytes:,} bytes, more than {limits.max_statement_bytes:,}")
