"""A database in memory that is filled anew for each instance, and read by statements that may be hostile.

Reading goes through the engine's own session: one SELECT, nothing else; writing is ours alone.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glue.cells import Cells, cells_of_rows
from glue.divergence.instances import Instance, Row, Schema, Table
from glue.engines.base import Failure, Limits, NotText, Session
from glue.engines.local_dialect import LocalDialectSession, LocalEngine
from glue.engines.sqlite import SQLiteSession, quoted_name
from glue.worker_limits import TimedOut, Watch

MAX_ROWS = 5_000
"""A result with more rows is not compared."""


class NotAllowed(Exception):
    """The engine does not take an instance: a CHECK, a type, a key."""


class _MemorySQLite(SQLiteSession):
    """A session on an empty database in memory, and a way to write to it between statements."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(":memory:", limits)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection, allowed to write."""
        self.finish()
        self._connection.set_authorizer(None)
        self._connection.execute("PRAGMA query_only = off").close()
        self._connection.text_factory = str
        try:
            yield self._connection
        finally:
            self._connection.execute("PRAGMA query_only = on").close()
            self._connection.set_authorizer(self._authorize)


@dataclass(frozen=True)
class Answer:
    """What a statement gave on an instance: its rows, or why there are none."""

    rows: list[Cells] | None
    failure: Failure | None = None
    column_names: tuple[str, ...] = ()


@dataclass
class Memory:
    """See above. `statement_s` is how long one statement may take; `watch` interrupts it."""

    schema: Schema
    engine: str
    limits: Limits
    watch: Watch
    statement_s: float = 1.0
    path: Path | None = None  # of the database that it stands for
    is_lost: bool = False
    _loaded: dict[str, tuple[Row, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._session: Session
        self._writer: Any
        if self.engine == "sqlite":
            self._session = _MemorySQLite(self.limits)
        else:
            self._writer = _memory_duckdb(self.limits)
        with self._writing() as connection:
            for statement in self._definitions():
                connection.execute(statement)
        if self.engine != "sqlite":
            self._session = _duckdb_session(self.engine, self._writer, self.limits, self.path)

    def close(self) -> None:
        """Let go of the database."""
        self._session.close()

    def load(self, instance: Instance) -> None:
        """Have the database hold an instance. Raises NotAllowed, and then it holds none."""
        changed = [
            name
            for name in self.schema.tables
            if (self._loaded.get(name) or ()) is not instance.of(name)
            and (self._loaded.get(name) or ()) != instance.of(name)
        ]
        if not changed:
            return
        try:
            with self._writing() as connection:
                for name in changed:
                    self._fill(connection, self.schema.tables[name], instance.of(name))
        except Exception as error:
            with self._writing() as connection:
                for table in self.schema.tables.values():
                    connection.execute(f"DELETE FROM {quoted_name(table.name)}")
            self._loaded = {}
            raise NotAllowed(str(error)) from error

    def run(self, sql: str) -> Answer:
        """Run one statement on what is loaded. Never raises what a statement can cause."""
        session = self._session
        self.watch.arm(session, time.monotonic() + self.statement_s)
        try:
            try:
                return self._answer(session, sql, as_raw_text=False)
            except NotText:
                session.finish()
                return self._answer(session, sql, as_raw_text=True)
        except TimedOut:
            return Answer(None, Failure("timed_out", "interrupted", None, "the limit passed"))
        except Exception as error:
            failure = session.failure(error)
            self.is_lost = self.is_lost or failure.is_session_lost
            with contextlib.suppress(TimedOut):
                self.watch.check()
                return Answer(None, failure)
            return Answer(None, Failure("timed_out", "interrupted", None, failure.error_message))
        finally:
            self.watch.disarm()
            session.finish()

    def plain_text(self, sql: str) -> str | None:
        """A statement in the engine's own SQL: a local dialect's translation. None where it has none."""
        session = self._session
        if not isinstance(session, LocalDialectSession):
            return sql
        try:
            return session.translated(sql)
        except MemoryError:
            raise
        except Exception:
            return None

    def _answer(self, session: Session, sql: str, as_raw_text: bool) -> Answer:
        names = session.execute(sql, as_raw_text)
        rows: list[Cells] = []
        while fetched := session.fetch(1_000):
            rows += cells_of_rows(fetched)
            self.watch.check()
            if len(rows) > MAX_ROWS:
                return Answer(None, Failure("cut", "cut", None, f"more than {MAX_ROWS:,} rows"))
        self.watch.check()
        return Answer(rows, None, tuple(names))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Any]:
        if self.engine == "sqlite":
            assert isinstance(self._session, _MemorySQLite)
            with self._session.writing() as connection:
                yield connection
        else:
            yield self._writer

    def _definitions(self) -> list[str]:
        schema = self.schema
        texts = [*schema.preliminaries, *(table.definition for table in schema.tables.values())]
        texts += [remark for table in schema.tables.values() for remark in table.remarks]
        return [*texts, *schema.views]

    def _fill(self, connection: Any, table: Table, rows: Sequence[Row]) -> None:
        connection.execute(f"DELETE FROM {quoted_name(table.name)}")
        places = [place for place, column in enumerate(table.columns) if not column.is_generated]
        names = ", ".join(quoted_name(table.columns[place].name) for place in places)
        marks = f"({', '.join('?' * len(places))})"
        if self.engine == "sqlite":
            connection.executemany(
                f"INSERT INTO {quoted_name(table.name)} ({names}) VALUES {marks}",
                [row.at(places) for row in rows],
            )
        else:
            for start in range(0, len(rows), 200):
                part = rows[start : start + 200]
                all_marks = ", ".join([marks] * len(part))
                connection.execute(
                    f"INSERT INTO {quoted_name(table.name)} ({names}) VALUES {all_marks}",
                    [value for row in part for value in row.at(places)],
                )
        self._loaded[table.name.lower()] = tuple(rows)


def _memory_duckdb(limits: Limits) -> Any:
    import duckdb

    from glue.engines.duckdb import configuration

    return duckdb.connect(":memory:", config=configuration(limits))


def _duckdb_session(engine: str, connection: Any, limits: Limits, path: Path | None) -> Session:
    """A session of the engine on a database in memory; one of a local dialect translates a text once."""
    from glue.engines import engine_named
    from glue.engines.duckdb import DuckDBSession

    found = engine_named(engine)
    if isinstance(found, LocalEngine):
        if path is not None:
            _pin_as(connection, path, limits)
        return found.session_class(connection, limits)
    return DuckDBSession(connection, limits)


def _pin_as(connection: Any, path: Path, limits: Limits) -> None:
    """Have a database say of its clock and version what a file says."""
    import duckdb

    from glue.dialects.pinned import read_pinned, write_pinned
    from glue.engines.duckdb import configuration

    config = configuration(limits)
    with contextlib.closing(duckdb.connect(str(path), read_only=True, config=config)) as file:
        pinned = read_pinned(file)
    write_pinned(connection, pinned)
