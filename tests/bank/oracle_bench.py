"""The bank in Oracle's dialect, in memory: every question's statements on the base data and on D′.

Each database stands once, without keys; the steps of D′ are taken within a transaction that is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import duckdb

from glue import bank
from glue.bank.ddl import create_statement, declared_type
from glue.bank.files import PINNED
from glue.bank.generation import generated
from glue.bank.instances import apply_steps
from glue.bank.manifest import BankColumn, BankQuestion, BankTable, Manifest
from glue.cells import Cells, cells_of_rows
from glue.dialects.catalog import column_comment, quoted_text, table_comment
from glue.dialects.local import LocalSession
from glue.engines.oracle_local import number

ENGINE = "oracle-local"
BASE, SUPPLEMENTARY = "base", "D′"


class DoesNotRun(Exception):
    """A statement or a step of D′ that fails, with the reason."""


@dataclass
class OracleBench:
    """The databases of a manifest, made when they are first asked for."""

    manifest: Manifest
    _sessions: dict[str, LocalSession] = field(default_factory=dict)

    def close(self) -> None:
        for session in self._sessions.values():
            session.connection.close()

    def session(self, db_id: str) -> LocalSession:
        if db_id not in self._sessions:
            self._sessions[db_id] = _loaded(self.manifest, db_id)
        return self._sessions[db_id]

    def rows(self, question: BankQuestion, instance: str, sql: str) -> list[Cells]:
        """The result as canonical cells. DoesNotRun with the reason."""
        (found,) = self.results(question, instance, [sql])
        if isinstance(found, DoesNotRun):
            raise found
        return found

    def results(
        self, question: BankQuestion, instance: str, statements: list[str]
    ) -> list[list[Cells] | DoesNotRun]:
        """The results of several statements on one instance, in order."""
        session = self.session(question.db_id)
        for sql in statements:  # the macros that they need are not to be undone
            _quietly(session, sql)
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


def _quietly(session: LocalSession, sql: str) -> None:
    try:
        session.translate(sql)
    except Exception:
        return  # said when it is asked


def _answer(session: LocalSession, sql: str) -> list[Cells] | DoesNotRun:
    try:
        _, rows = session.query(sql)
    except Exception as error:
        return DoesNotRun(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
    return cells_of_rows([tuple(number(v) if isinstance(v, float) else v for v in row) for row in rows])


def _loaded(manifest: Manifest, db_id: str) -> LocalSession:
    connection = duckdb.connect()
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
    said = table_comment("oracle", table.name.upper())
    connection.execute(f"comment on table {table.name} is {quoted_text(said)}")
    for column in table.columns:
        said = column_comment(column.name.upper(), declared_type(column.data_type, ENGINE))
        connection.execute(f"comment on column {table.name}.{column.name} is {quoted_text(said)}")


def open_bench(manifest: Manifest | None = None) -> OracleBench:
    return OracleBench(manifest or bank.read_manifest())
