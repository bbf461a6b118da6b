"""What each statement of a script does to a local database."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from glue.dialects.alterations import alter, comment
from glue.dialects.changes import delete, update
from glue.dialects.definitions import Reader
from glue.dialects.errors import DialectError, UnsupportedError
from glue.dialects.inserts import Default, Expression, Insert, InsertReader, PlainInserts
from glue.dialects.local import LocalSession
from glue.dialects.scripts import Statement, statements_of_block
from glue.dialects.stored_rows import WaitingRows, store
from glue.dialects.stored_tables import LoadedColumn, LoadedTable, Tables
from glue.dialects.stored_views import View, make_view, read_view

FAILURES = (DialectError, UnsupportedError, duckdb.Error)
"""What a statement may fail with."""

_MOST_WAITING_ROWS = 10_000
_ASKED_TOGETHER = 50
_LEADING = re.compile(r"(?:\s+|--[^\n]*\n|/\*.*?\*/)*", re.DOTALL)
_BLANKS = re.compile(r"\s+")
_BESIDE_TABLE = frozenset({"GLOBAL", "PRIVATE", "TEMPORARY", "IMMUTABLE", "BLOCKCHAIN"})
_VIEW = re.compile(r"CREATE (OR (REPLACE|ALTER) )?((NO )?FORCE )?((NON)?EDITIONABLE )?VIEW ")
_SEQUENCE_VALUE = re.compile(r"(?:\w+\.)?(?P<name>\w+)\.(?P<which>nextval|currval)", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    r"(?P<name>\w+)\s*(?P<type>[\w%.]+(?:\s*\([^)]*\))?)?\s*(?::=\s*(?P<value>.+))?", re.S
)
_SKIPPED = """
    CREATE ALTER DROP GRANT REVOKE COMMIT SAVEPOINT ANALYZE AUDIT NOAUDIT CALL EXPLAIN LOCK PURGE RENAME SET
    SELECT WITH USE PRINT EXEC EXECUTE DECLARE IF BEGIN END DENY GO CHECKPOINT DBCC
"""
_SKIPPED_WORDS = frozenset(_SKIPPED.split())


@dataclass(slots=True)
class _WaitingInsert:
    """An INSERT whose values are still as they were written."""

    table: LoadedTable
    columns: tuple[LoadedColumn, ...]
    rows: list[list[Any]]
    statement: Statement


class Loader:
    """Obeys the statements of one script. Rows wait, for DuckDB to get many at once, until `finish`."""

    def __init__(self, session: LocalSession) -> None:
        self.n_rows: dict[str, int] = {}
        self.views: list[str] = []
        self.n_skipped: Counter[str] = Counter()
        self.failures: list[tuple[Statement, Exception]] = []
        self.tables = Tables(session)
        self.session = session
        self._waiting: list[_WaitingInsert] = []
        self._n_waiting_rows = 0
        self._views: list[tuple[View, Statement]] = []
        self._plain = PlainInserts(self.is_oracle)
        self._variables: dict[str, Any] = {}
        self._sequences: dict[str, tuple[int, int]] = {}
        self._defaults: dict[str, Any] = {}

    @property
    def not_kept(self) -> list[str]:
        """The constraints that DuckDB does not hold."""
        return self.tables.not_kept

    @property
    def is_oracle(self) -> bool:
        """Is it a script of Oracle's?"""
        return self.session.dialect == "oracle"

    def finish(self) -> None:
        """Store what waits, and make the views. The session knows the tables afterwards."""
        self._store()
        self.tables.make_all()
        views, self._views = self._views, []
        for view, statement in views:
            self._try(statement, lambda view=view: self._make_view(view))  # type: ignore[misc]

    def obey(self, statement: Statement) -> None:
        """Do what the statement says. DialectError or UnsupportedError where it cannot be done."""
        text = statement.text[_LEADING.match(statement.text).end() :]  # type: ignore[union-attr]
        head = _BLANKS.sub(" ", text[:200]).upper()
        first = re.match(r"\w*", head)[0]  # type: ignore[index]
        if statement.is_command:
            self.n_skipped[re.match(r"@*\w*", head)[0] or head[:1]] += 1  # type: ignore[index]
        elif first == "INSERT":
            self._insert(Statement(text, statement.path, statement.line))
        elif first == "CREATE":
            self._create(text, head, statement)
        elif head.startswith("ALTER TABLE "):
            self._skip_unless(alter(self.tables, self._reader(text)))
        elif head.startswith("COMMENT ON "):
            self._skip_unless(comment(self.tables, self._reader(text)))
        elif first in ("UPDATE", "DELETE"):
            self._begin_query()
            (update if first == "UPDATE" else delete)(self.session, self.tables, self._reader(text))
        elif head.startswith(("DROP TABLE ", "TRUNCATE TABLE ")):
            self._drop(self._reader(text), first == "TRUNCATE")
        elif self.is_oracle and first in ("BEGIN", "DECLARE"):
            self._block(Statement(text, statement.path, statement.line))
        elif first in _SKIPPED_WORDS:
            self.n_skipped[" ".join(head.split()[:2]) if first in ("ALTER", "DROP") else first] += 1
        else:
            raise UnsupportedError(f"a statement that begins with {first or text[:20]!r}")

    def _reader(self, text: str) -> Reader:
        return Reader(text, self.session.dialect, self.session.settings.version)

    def _skip_unless(self, skipped: str | None) -> None:
        if skipped is not None:
            self.n_skipped[skipped] += 1

    def _try(self, statement: Statement, work: Callable[[], None]) -> None:
        try:
            work()
        except FAILURES as error:
            self.failures.append((statement, error))

    # Tables, views, sequences

    def _create(self, text: str, head: str, statement: Statement) -> None:
        words = head.split()
        kind = next((word for word in words[1:] if word not in _BESIDE_TABLE), "")
        if kind == "TABLE":
            self.tables.add(self._reader(text).table())
        elif _VIEW.match(head):
            self._views.append((read_view(self._reader(text)), statement))
        else:
            if kind == "SEQUENCE":
                self._sequence(text)
            is_procedure = head.startswith("CREATE OR")
            self.n_skipped[f"CREATE {words[3] if is_procedure and len(words) > 3 else kind}"] += 1

    def _sequence(self, text: str) -> None:
        name = re.match(r"create\s+sequence\s+(?:\w+\.)?(\w+)", text, re.IGNORECASE)
        start, step = (
            re.search(rf"\b{words}\s+(-?\d+)", text, re.IGNORECASE)
            for words in (r"start\s+with", r"increment\s+by")
        )
        if name:
            first, by = int(start[1]) if start else 1, int(step[1]) if step else 1
            self._sequences[name[1].upper()] = (first - by, by)

    def _drop(self, reader: Reader, keeps_table: bool) -> None:
        self._store()
        reader.words.place += 2
        reader.words.take("IF", "EXISTS")
        name = reader.table_name()
        if keeps_table:
            stored = self.tables.loaded(name).stored_name.replace('"', '""')
            self.session.connection.execute(f'delete from "{stored}"')
        else:
            self.tables.drop(name)
        self.n_rows.pop(name, None)

    def _make_view(self, view: View) -> None:
        self.tables.check_is_free(view.name)
        make_view(self.session, view)
        self.views.append(view.name)
        self.session.read_tables()

    def _begin_query(self) -> None:
        """What a query may ask for is there: rows that wait, tables, views."""
        self.finish()

    # PL/SQL

    def _block(self, block: Statement) -> None:
        """An anonymous block that only sets variables and changes rows; any other is skipped."""
        statements = statements_of_block(block)
        if statements is None or not all(_is_simple(one.text) for one in statements):
            self.n_skipped["PL/SQL BLOCK"] += 1
            return
        for statement in statements:
            self._try(statement, lambda one=statement: self._obey_in_block(one))  # type: ignore[misc]
        self._variables = {}

    def _obey_in_block(self, statement: Statement) -> None:
        if _changes_rows(statement.text):
            self.obey(statement)
        elif not re.fullmatch(r"commit|null", statement.text, re.IGNORECASE):
            said = _ASSIGNMENT.fullmatch(statement.text)
            assert said is not None
            value = None
            if said["value"]:
                value = self._assigned(said["value"])
            self._variables[said["name"].upper()] = value

    def _assigned(self, text: str) -> Any:
        """The value of an expression in a block, where texts may be longer than in a query."""
        try:
            return self._value_of(self._insert_reader(text).value())
        except DialectError as error:
            if error.code != "ORA-01489":
                raise
            return self._value_of(self._insert_reader(f"TO_CLOB('') || {text}").value())

    def _insert_reader(self, text: str) -> InsertReader:
        return InsertReader(text, self.session.dialect, self.session.settings, self._variables)

    # Rows

    def _insert(self, statement: Statement) -> None:
        insert = self._plain.read(statement.text)
        if insert is None:
            insert = self._insert_reader(statement.text).insert()
            self._plain.remember(statement.text, insert)
        table = self.tables.loaded(insert.table)
        columns = self._columns(table, insert)
        if insert.query is not None:
            self._begin_query()
            translation = self.session.translate(insert.query)
            with self.session.errors():
                insert.rows = [
                    list(row) for row in self.session.connection.execute(translation.sql).fetchall()
                ]
            if len(translation.columns) != len(columns):
                raise self._miscounted(len(translation.columns), len(columns), insert)
        for row in insert.rows:
            if len(row) != len(columns) and insert.columns != []:
                raise self._miscounted(len(row), len(columns), insert)
        if any(_asks(value) for row in insert.rows for value in row):
            self._begin_query()
        self._wait(_WaitingInsert(table, tuple(columns), insert.rows, statement))

    def _columns(self, table: LoadedTable, insert: Insert) -> list[LoadedColumn]:
        if insert.columns is None:
            return [
                column
                for column in table.columns.values()
                if self.is_oracle or not column.definition or not column.definition.identity
            ]
        return [self.tables.column(table, name) for name in insert.columns]

    def _miscounted(self, n_values: int, n_columns: int, insert: Insert) -> DialectError:
        oracle = "ORA-00947" if n_values < n_columns else "ORA-00913"
        tsql = "213" if insert.columns is None else "109" if n_values < n_columns else "110"
        return self.tables.refused(oracle, tsql, f"{n_values} values for {n_columns} columns")

    def _wait(self, insert: _WaitingInsert) -> None:
        last = self._waiting[-1] if self._waiting else None
        if last and (last.table is not insert.table or last.columns != insert.columns):
            self._store()
        self._waiting.append(insert)
        self._n_waiting_rows += len(insert.rows)
        if self._n_waiting_rows >= _MOST_WAITING_ROWS:
            self._store()

    def _store(self) -> None:
        """Store the INSERTs that wait; those that are refused are failures."""
        inserts, self._waiting, self._n_waiting_rows = self._waiting, [], 0
        ready: list[WaitingRows] = []
        answers = self._answers(inserts)
        for insert in inserts:
            try:
                ready.append(self._fitted(insert, answers))
            except FAILURES as error:
                self.failures.append((insert.statement, error))
        refused: set[int] = set()
        for one, why in store(self.session.connection, self.session.dialect, ready):
            self.failures.append((one.statement, why))
            refused.add(id(one))
        for one in ready:
            if id(one) not in refused:
                self.n_rows[one.table.name] = self.n_rows.get(one.table.name, 0) + len(one.rows)

    def _answers(self, inserts: list[_WaitingInsert]) -> dict[str, Any]:
        """The values of the expressions, where many can be asked for together."""
        texts = {
            value.text: None
            for insert in inserts
            for row in insert.rows
            for value in row
            if isinstance(value, Expression) and not _SEQUENCE_VALUE.fullmatch(value.text)
        }
        asked = list(texts)
        answers: dict[str, Any] = {}
        for start in range(0, len(asked), _ASKED_TOGETHER):
            some = asked[start : start + _ASKED_TOGETHER]
            try:
                answers |= zip(some, self._ask(some), strict=True)
            except FAILURES:
                continue  # each is asked for by itself, and says what is wrong with it
        return answers

    def _ask(self, expressions: list[str]) -> tuple[Any, ...]:
        """Values of expressions, which the dialect reads in a query."""
        sql = f"SELECT {', '.join(expressions)}" + (" FROM dual" if self.is_oracle else "")
        rows = self.session.query(sql)[1]
        return rows[0]

    def _fitted(self, insert: _WaitingInsert, answers: dict[str, Any]) -> WaitingRows:
        columns = list(insert.columns)
        named = {id(column) for column in columns}
        columns += [
            column
            for column in insert.table.columns.values()
            if id(column) not in named and column.definition and _gives_values(column)
        ]
        rows = [tuple(self._row(insert.table, columns, row, answers)) for row in insert.rows]
        names = tuple(column.stored_name for column in columns)
        return WaitingRows(insert.table, names, rows, insert.statement)

    def _row(
        self, table: LoadedTable, columns: list[LoadedColumn], row: list[Any], answers: dict[str, Any]
    ) -> Iterator[Any]:
        for place, column in enumerate(columns):
            value = row[place] if place < len(row) else Default()
            if isinstance(value, Expression):
                value = answers[value.text] if value.text in answers else self._value_of(value)
            elif isinstance(value, Default):
                value = self._default(column)
            if value is None and self.is_oracle and column.definition and column.definition.identity:
                value = self._default(column)
            yield column.type.fit(value, table.where(column.name))

    def _default(self, column: LoadedColumn) -> Any:
        definition = column.definition
        if definition is None:
            raise UnsupportedError(f"the default of {column.name}, which was there before")
        if definition.identity:
            start, step = definition.identity
            column.n_counted += 1
            return start + (column.n_counted - 1) * step
        if definition.default is None:
            return None
        if definition.default not in self._defaults:
            value = self._insert_reader(definition.default).value()
            self._defaults[definition.default] = self._value_of(value)
        return self._defaults[definition.default]

    def _value_of(self, value: Any) -> Any:
        """The value of an expression; other values are themselves."""
        if not isinstance(value, Expression):
            return value
        said = _SEQUENCE_VALUE.fullmatch(value.text)
        if said and said["name"].upper() in self._sequences:
            last, step = self._sequences[said["name"].upper()]
            last += step if said["which"].lower() == "nextval" else 0
            self._sequences[said["name"].upper()] = last, step
            return last
        return self._ask([value.text])[0]


def _gives_values(column: LoadedColumn) -> bool:
    definition = column.definition
    return definition is not None and bool(definition.identity or definition.default is not None)


def _asks(value: Any) -> bool:
    """Is it an expression with a query in it?"""
    return isinstance(value, Expression) and bool(re.search(r"\bselect\b", value.text, re.IGNORECASE))


def _changes_rows(text: str) -> bool:
    return bool(re.match(r"(insert|update|delete)\b", text, re.IGNORECASE))


def _is_simple(text: str) -> bool:
    if _changes_rows(text) or re.fullmatch(r"commit|null", text, re.IGNORECASE):
        return True
    return bool(_ASSIGNMENT.fullmatch(text)) and not re.match(
        r"(if|for|while|loop|begin|declare|end|select|open|fetch|close|execute|raise|return|exit|cursor|type"
        r"|procedure|function|exception|when|pragma|goto|continue|case|merge|rollback|savepoint|set|lock)\b",
        text,
        re.IGNORECASE,
    )
