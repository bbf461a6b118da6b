"""The bank in Oracle's dialect, its own, in memory: statements on the base data D and on D′.

Each database stands once, without keys; the steps of D′ are taken in a transaction that is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from glue.bank.ddl import create_statement, declared_type
from glue.bank.files import PINNED
from glue.bank.generation import generated
from glue.bank.instances import apply_steps
from glue.bank.manifest import BankColumn, BankQuestion, BankTable, Manifest
from glue.dialects.catalog import column_comment, quoted_text, table_comment
from glue.dialects.local import LocalSession
from glue.duckdb_faults import RIGHT_ANSWERS

if TYPE_CHECKING:
    import duckdb

ENGINE = "oracle-local"
BASE, SUPPLEMENTARY = "D", "D′"


@dataclass(frozen=True)
class Answer:
    """What a statement gives: names and rows; or `error`, why there are none."""

    names: list[str] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    error: str | None = None


@dataclass
class OracleBank:
    """The databases of a manifest, each made when it is first asked for."""

    manifest: Manifest
    _sessions: dict[str, LocalSession] = field(default_factory=dict)

    def close(self) -> None:
        """Let go of all databases."""
        for session in self._sessions.values():
            session.connection.close()
        self._sessions.clear()

    def session(self, db_id: str) -> LocalSession:
        """A database for queries in Oracle's dialect."""
        if db_id not in self._sessions:
            self._sessions[db_id] = _loaded(self.manifest, db_id)
        return self._sessions[db_id]

    def ask(self, question: BankQuestion, instance: str, statements: Sequence[str]) -> list[Answer]:
        """The answers to several statements on D or on D′ of a question, in order.

        GlueError when a step of D′ fails or touches no row.
        """
        session = self.session(question.db_id)
        for sql in statements:  # the macros that they need are not to be undone
            _translate(session, sql)
        with self._on(session, question, instance):
            return [_answer(session, sql) for sql in statements]

    @contextmanager
    def _on(self, session: LocalSession, question: BankQuestion, instance: str) -> Iterator[None]:
        session.connection.execute("begin")
        try:
            if instance == SUPPLEMENTARY:
                steps = self.manifest.instances.get(question.question_id, ())
                apply_steps(session.connection, self.manifest.databases[question.db_id], steps, "duckdb")
            yield
        finally:
            session.connection.execute("rollback")


def _translate(session: LocalSession, sql: str) -> None:
    try:
        session.translate(sql)
    except Exception:
        return  # said when it is asked


def _answer(session: LocalSession, sql: str) -> Answer:
    try:
        names, rows = session.query(sql)
    except Exception as error:
        return Answer(error=f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
    return Answer(names, rows)


def _loaded(manifest: Manifest, db_id: str) -> LocalSession:
    import duckdb

    connection = duckdb.connect(config=dict(RIGHT_ANSWERS))
    with generated(manifest, db_id) as made:
        for table in manifest.databases[db_id]:
            bare = replace(table, foreign_keys=(), columns=tuple(map(_no_key, table.columns)))
            connection.execute(create_statement(bare, ENGINE))
            order = ", ".join(f'"{name}"' for name in table.primary_key) or "all"
            rows = made.sql(f'select * from "{table.name}" order by {order}').to_arrow_table()
            connection.register("made_rows", rows)
            connection.execute(f"insert into {bare.name} select * from made_rows")
            connection.unregister("made_rows")
            _describe(connection, bare)
    pinned = PINNED[ENGINE]
    return LocalSession(connection, "oracle", version=pinned.version, now=pinned.now)


def _no_key(column: BankColumn) -> BankColumn:
    return replace(column, is_primary_key=False)


def _describe(connection: duckdb.DuckDBPyConnection, table: BankTable) -> None:
    """What the dialect knows of names and types, as comments."""
    said = table_comment("oracle", table.name.upper())
    connection.execute(f"comment on table {table.name} is {quoted_text(said)}")
    for column in table.columns:
        said = column_comment(column.name.upper(), declared_type(column.data_type, ENGINE))
        connection.execute(f"comment on column {table.name}.{column.name} is {quoted_text(said)}")
