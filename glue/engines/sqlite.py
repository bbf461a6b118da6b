"""SQLite: an immutable read-only file, and an authorizer that lets nothing pass but reading."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from glue.cells import RawText
from glue.engines.base import (
    Engine,
    Failure,
    Limits,
    Member,
    NotText,
    Refused,
    Row,
    Session,
    TooManyDatabases,
    check_length,
    common_failure,
    shortened,
    too_many_databases,
)

PAGE_CACHE_KIBIBYTES = 16 * 1024

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}

_FORBIDDEN_FUNCTIONS = {
    "edit",
    "fts3_tokenizer",
    "load_extension",
    "lsmode",
    "readfile",
    "sqlite_log",
    "writefile",
}
_FORBIDDEN_TABLES = {"bytecode", "dbstat", "sqlite_dbpage", "sqlite_memstat", "sqlite_stmt", "tables_used"}

_READS = {"SELECT", "VALUES", "WITH"}
_OTHER_STATEMENTS = {
    "ALTER",
    "ANALYZE",
    "ATTACH",
    "BEGIN",
    "COMMIT",
    "CREATE",
    "DELETE",
    "DETACH",
    "DROP",
    "END",
    "EXPLAIN",
    "INSERT",
    "PRAGMA",
    "REINDEX",
    "RELEASE",
    "REPLACE",
    "ROLLBACK",
    "SAVEPOINT",
    "UPDATE",
    "VACUUM",
}

_BLANK_OR_END = re.compile(r"(?:[ \t\n\f\r;]++|--[^\n]*+|/\*.*?(?:\*/|\Z))*+", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]+")
_UP_TO_SEMICOLON = re.compile(
    r"""(?:[^;'"`\[/-]++|'[^']*+(?:'|\Z)|"[^"]*+(?:"|\Z)|`[^`]*+(?:`|\Z)|\[[^\]]*+(?:\]|\Z)"""
    r"""|--[^\n]*+|/\*.*?(?:\*/|\Z)|[/-])*+""",
    re.DOTALL,
)

_CLASSES = [
    (re.compile(pattern, re.IGNORECASE), error_class)
    for pattern, error_class in [
        (r"no such table", "unknown_table"),
        (r"no such column|has no column named|cannot join using column", "unknown_column"),
        (r"no such index|no such view|unknown database", "unknown_table"),
        (r"ambiguous column name", "ambiguous"),
        (r"no such (window )?function|no such collation", "unknown_function"),
        (r"wrong number of arguments|datatype mismatch|integer overflow|malformed JSON|JSON ", "type"),
        (r"ESCAPE expression must be|cannot open value of type|second argument to", "type"),
        (
            r"misuse of (aliased )?(aggregate|window)|GROUP BY clause is required|HAVING clause on",
            "aggregate_misuse",
        ),
        (r"aggregate functions are not allowed|may not be used as a window function", "aggregate_misuse"),
        (r"parser stack overflow|too large|too many|too big a|tables in a join|too complex", "too_complex"),
        (r"string or blob too big|out of memory|database or disk is full", "resource"),
        (r"syntax error|incomplete input|unrecognized token|null character|bindings supplied", "syntax"),
        (
            r"sub-select returns|same number of result columns|term out of range|does not match any column",
            "shape",
        ),
        (
            r"row value misused|all VALUES must have|ORDER BY clause should come|LIMIT clause should come",
            "shape",
        ),
        (r"circular reference|recursive (reference|aggregate)|multiple (recursive )?references", "shape"),
        (r"not authorized|prohibited|unsafe use of", "forbidden"),
        (r"malformed|not a database|unable to open|disk I/O|locked|unsupported file format", "connection"),
    ]
]


class SQLite(Engine):
    """SQLite through Python's sqlite3."""

    name: ClassVar[str] = "sqlite"
    has_prepared_copies: ClassVar[bool] = True

    def open(self, path: Path, limits: Limits) -> Session:
        """Open an immutable file. sqlite3.Error when it is missing or not a database."""
        return SQLiteSession(uri_of(path), limits)

    def open_union(self, members: Sequence[Member], limits: Limits) -> Session:
        """See Engine and sqlite_union."""
        from glue.engines.sqlite_union import SQLiteUnionSession

        return SQLiteUnionSession(members, limits)

    def open_failure(self, error: Exception) -> Failure:
        """A database that cannot be opened is not at hand."""
        if isinstance(error, TooManyDatabases):
            return too_many_databases(error)
        return Failure(
            "no_database", "connection", _code(error), shortened(f"{type(error).__name__}: {error}")
        )


def uri_of(path: Path) -> str:
    """The URI that opens a file read-only and promises that nobody changes it: no lock, no journal."""
    return f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"


def quoted_name(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def only_statement(sql: str) -> str:
    """The one statement of a text. Refused when there is none, several, or one that is no read.

    Comments, blanks and empty statements around it are cut away.
    """
    start = _matched_end(_BLANK_OR_END, sql, 0)
    end = _matched_end(_UP_TO_SEMICOLON, sql, start) if ";" in sql else len(sql)
    if start >= len(sql):
        raise Refused("empty", "the text holds no statement")
    if end < len(sql) and _matched_end(_BLANK_OR_END, sql, end) < len(sql):
        raise Refused("multiple_statements", "the text holds more than one statement")
    word = _WORD.match(sql, start)
    keyword = word[0].upper() if word else ""
    if keyword in _OTHER_STATEMENTS:
        raise Refused("not_a_read", f"{keyword} is not a read")
    return sql if start == 0 and end == len(sql) else sql[start:end]


def _matched_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


class SQLiteSession(Session):
    """One open file, by its URI. See SQLite."""

    def __init__(self, uri: str, limits: Limits) -> None:
        self._limits = limits
        self._denied: str | None = None
        self._cursor: sqlite3.Cursor | None = None
        self._connection = sqlite3.connect(
            uri, uri=True, isolation_level=None, cached_statements=0, check_same_thread=False
        )
        try:
            self._restrict()
        except BaseException:
            self._connection.close()
            raise

    def execute(self, sql: str, as_raw_text: bool = False) -> list[str]:
        """See Session. The authorizer refuses what is no read while the statement is prepared."""
        check_length(sql, self._limits)
        statement = only_statement(sql)
        self._denied = None
        self._connection.text_factory = RawText if as_raw_text else str
        try:
            self._cursor = self._connection.execute(statement)
        except sqlite3.OperationalError as error:
            _raise_if_not_text(error)
            raise
        return [column[0] for column in self._cursor.description or ()]

    def fetch(self, n_rows: int) -> Sequence[Row]:
        """See Session."""
        assert self._cursor is not None
        try:
            return self._cursor.fetchmany(n_rows)
        except sqlite3.OperationalError as error:
            _raise_if_not_text(error)
            raise

    def finish(self) -> None:
        """See Session."""
        cursor, self._cursor = self._cursor, None
        if cursor is not None:
            with contextlib.suppress(sqlite3.Error):
                cursor.close()

    def interrupt(self) -> None:
        """See Session. Stops between two steps of the statement, not within one long function call."""
        self._connection.interrupt()

    def failure(self, error: Exception) -> Failure:
        """See Session."""
        common = common_failure(error)
        if common:
            return common
        message, code = str(error), _code(error)
        if code == "SQLITE_INTERRUPT":
            return Failure("timed_out", "interrupted", code, message)
        if "one statement at a time" in message:
            return Failure("refused", "multiple_statements", code, message)
        if self._denied:
            error_class = "forbidden" if self._denied.startswith("use of") else "not_a_read"
            return Failure(
                "refused", error_class, code, shortened(f"{self._denied} is not allowed ({message})")
            )
        found = next((name for pattern, name in _CLASSES if pattern.search(message)), "other")
        outcome = "refused" if found == "forbidden" else "failed"
        return Failure(outcome, found, code, shortened(message), is_session_lost=found == "connection")

    def close(self) -> None:
        """See Session."""
        self.finish()
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def _restrict(self) -> None:
        connection = self._connection
        for pragma in (
            "temp_store = memory",
            f"cache_size = -{PAGE_CACHE_KIBIBYTES}",
            f"hard_heap_limit = {self._limits.max_memory_bytes * 7 // 8}",
            "trusted_schema = off",
        ):
            connection.execute(f"PRAGMA {pragma}").close()
        self._read_schema()
        connection.execute("PRAGMA query_only = on").close()
        self._connect_virtual_tables()
        for category, value in (
            (sqlite3.SQLITE_LIMIT_LENGTH, self._limits.max_value_bytes),
            (sqlite3.SQLITE_LIMIT_SQL_LENGTH, self._limits.max_statement_bytes),
            (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 1_000),
            (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 500),
            (sqlite3.SQLITE_LIMIT_VDBE_OP, 10_000_000),
            (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 127),
            (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
            (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50_000),
            (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
        ):
            connection.setlimit(category, value)
        connection.set_authorizer(self._authorize)

    def _read_schema(self) -> None:
        """Read the header, while everything is still allowed: is it a database?"""
        self._connection.execute("SELECT count(*) FROM sqlite_master").close()

    def _schemas(self) -> list[str]:
        """The schemas that hold the tables of the file, or of the files."""
        return ["main"]

    def _connect_virtual_tables(self) -> None:
        """Have virtual tables declared while that is still allowed: it passes the authorizer as a write."""
        tables = ["json_each('[]')", "json_tree('[]')"]
        for schema in self._schemas():
            found = self._connection.execute(
                f"SELECT name FROM {schema}.sqlite_master"
                " WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'"
            ).fetchall()
            tables += [f"{schema}.{quoted_name(name)}" for (name,) in found]
        for table in tables:
            with contextlib.suppress(sqlite3.Error):  # a module that this build lacks
                self._connection.execute(f"SELECT * FROM {table} LIMIT 0").close()

    def _authorize(self, action: int, name: str | None, other: str | None, *_: str | None) -> int:
        if action in _ALLOWED:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            table = (name or "").lower()
            if table not in _FORBIDDEN_TABLES and not table.startswith("pragma_"):
                return sqlite3.SQLITE_OK
            self._denied = f"use of {name}"
        elif action == sqlite3.SQLITE_FUNCTION:
            if (other or "").lower() not in _FORBIDDEN_FUNCTIONS:
                return sqlite3.SQLITE_OK
            self._denied = f"use of {other}()"
        elif action == sqlite3.SQLITE_PRAGMA and name == "data_version" and other is None:
            return sqlite3.SQLITE_OK  # full-text tables ask for it
        elif action == sqlite3.SQLITE_UPDATE and name == "sqlite_master":
            self._denied = "use of a virtual table's declaration"
        else:
            self._denied = _ACTIONS.get(action, f"action {action}")
        return sqlite3.SQLITE_DENY


_ACTIONS = {
    sqlite3.SQLITE_DELETE: "DELETE",
    sqlite3.SQLITE_INSERT: "INSERT",
    sqlite3.SQLITE_UPDATE: "UPDATE",
    sqlite3.SQLITE_PRAGMA: "PRAGMA",
    sqlite3.SQLITE_ATTACH: "ATTACH",
    sqlite3.SQLITE_TRANSACTION: "a transaction",
}


def _raise_if_not_text(error: sqlite3.OperationalError) -> None:
    if str(error).startswith("Could not decode to UTF-8"):
        raise NotText from error


def _code(error: Exception) -> str | None:
    return getattr(error, "sqlite_errorname", None)
