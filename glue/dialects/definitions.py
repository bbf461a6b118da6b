"""CREATE TABLE and ALTER TABLE as a script has them: columns, their types and defaults, and constraints."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from glue.dialects.errors import UnsupportedError
from glue.dialects.oracle_reading import OracleWords
from glue.dialects.reading import Token, Words
from glue.dialects.stored_types import Declared
from glue.dialects.tsql_reading import TSQLWords

Kind = Literal["primary key", "unique", "foreign key", "check", "not null"]

_LATER_WORDS = {
    "CHAR": {"VARYING"},
    "CHARACTER": {"VARYING"},
    "NCHAR": {"VARYING"},
    "NATIONAL": {"CHAR", "CHARACTER"},
    "DOUBLE": {"PRECISION"},
    "LONG": {"RAW"},
    "INTERVAL": {"DAY", "YEAR"},
}
_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})
_COLUMN_CLAUSES = _CONSTRAINTS | {
    "DEFAULT", "NOT", "NULL", "REFERENCES", "GENERATED", "IDENTITY", "AS", "COLLATE", "INVISIBLE", "VISIBLE",
    "SPARSE", "ROWGUIDCOL", "ENCRYPT",
}  # fmt: skip


@dataclass(slots=True)
class Constraint:
    """A constraint of a table. `columns` and `check` are as the script has them, `parent` the other table."""

    kind: Kind
    columns: list[str] = field(default_factory=list)
    check: list[Token] = field(default_factory=list)
    parent: str = ""
    parent_columns: list[str] = field(default_factory=list)
    name: str = ""
    is_disabled: bool = False


@dataclass(slots=True)
class ColumnDefinition:
    """A column; `default` is the text of its expression, `identity` where it counts from and by how much."""

    name: str
    declared: Declared
    default: str | None = None
    identity: tuple[int, int] | None = None


@dataclass(slots=True)
class TableDefinition:
    """A table as a script makes it, under the names that the dialect knows."""

    name: str
    columns: list[ColumnDefinition] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)

    def column(self, name: str) -> ColumnDefinition | None:
        """The column of this name."""
        return next((column for column in self.columns if column.name == name), None)


class Reader:
    """One statement about a table, read from its first word. DialectError for what is no such statement."""

    def __init__(self, sql: str, dialect: str, version: int) -> None:
        self.sql = sql
        self.is_oracle = dialect == "oracle"
        self.words: Words = OracleWords(sql, version) if self.is_oracle else TSQLWords(sql)

    def name(self, code: str = "") -> str:
        """A name as the dialect knows it: an unquoted one is in capitals in Oracle."""
        name = self.words.name(code)
        return name.text.upper() if self.is_oracle and not name.is_quoted else name.text

    def table_name(self) -> str:
        """The last part of a name with dots: schemas are not told apart."""
        name = self.name("ORA-00903" if self.is_oracle else "")
        while self.words.take("."):
            name = self.name("ORA-00903" if self.is_oracle else "")
        return name

    def names(self) -> list[str]:
        """(a, b, …), each perhaps with ASC or DESC behind it."""
        self.words.want("(")
        found = [self._key_name()]
        while self.words.take(","):
            found.append(self._key_name())
        self.words.want(")", self.words.UNCLOSED)
        return found

    def _key_name(self) -> str:
        name = self.name()
        if not self.words.take("ASC"):
            self.words.take("DESC")
        return name

    def text_since(self, place: int) -> str:
        """The text of the words since that place."""
        read = self.words.since(place)
        return self.sql[read[0].start : read[-1].start + len(read[-1].text)] if read else ""

    def skip_to(self, *words: str) -> None:
        """Go on to one of these words outside brackets, or to the end."""
        while self.words.token.kind != "end" and not self.words.comes_any(set(words)):
            self._skip_one()

    def _skip_one(self) -> None:
        if self.words.token.error:
            raise self.words.token.error
        if self.words.comes("("):
            self.words.skip_brackets()
        else:
            self.words.place += 1

    def table(self) -> TableDefinition:
        """CREATE TABLE …; its storage clauses are not looked at."""
        words = self.words
        words.want("CREATE")
        while words.comes_any({"GLOBAL", "PRIVATE", "TEMPORARY", "IMMUTABLE", "BLOCKCHAIN"}):
            words.place += 1
        words.want("TABLE")
        definition = TableDefinition(self.table_name())
        if not words.take("("):
            raise UnsupportedError("a table made of a query or of an object type")
        self.add_item(definition)
        while words.take(","):
            self.add_item(definition)
        words.want(")", words.UNCLOSED)
        self.skip_to("AS")
        if words.token.kind != "end":
            raise UnsupportedError("a table made of a query")
        return definition

    def add_item(self, definition: TableDefinition) -> None:
        """Read one column or constraint into a table's definition."""
        if self.words.comes_any(_CONSTRAINTS):
            definition.constraints.append(self._constraint())
            self._skip_state(definition.constraints[-1])
            return
        if self.words.comes("INDEX") or self.words.comes("SUPPLEMENTAL") or self.words.comes("PERIOD"):
            self.skip_to(",", ")")
            return
        self._column(definition)

    def _column(self, definition: TableDefinition) -> None:
        name = self.name("ORA-00904" if self.is_oracle else "")
        if definition.column(name):
            raise self.words.ERROR("ORA-00957" if self.is_oracle else "2705", f"{name} is there twice")
        if self.words.comes("AS"):
            raise UnsupportedError(f"the computed column {name}")
        column = ColumnDefinition(name, self.declared())
        definition.columns.append(column)
        while not self.words.comes_any({",", ")"}) and self.words.token.kind != "end":
            self._column_clause(column, definition)

    def declared(self) -> Declared:
        """A type: its words, and what is in its brackets."""
        words = self.words
        if words.token.kind not in ("word", "quoted"):
            raise words.refused("ORA-00902" if self.is_oracle else words.MISSING, "a type is missing")
        found = [words.token.upper.strip('"[]').upper()]
        words.place += 1
        while words.take("."):
            found = [words.token.upper.strip('"[]').upper()]
            words.place += 1
        while words.token.kind == "word" and words.token.upper in _LATER_WORDS.get(found[-1], ()):
            found.append(words.token.upper)
            words.place += 1
        arguments = self._arguments()
        if found[0] == "INTERVAL" and words.take("TO"):
            found += ["TO", words.token.upper]
            words.place += 1
            self._arguments()
            arguments = ()
        if words.comes("WITH", "TIME") or words.comes("WITH", "LOCAL"):
            while words.comes_any({"WITH", "LOCAL", "TIME", "ZONE"}):
                found.append(words.token.upper)
                words.place += 1
        return Declared(" ".join(found), arguments)

    def _arguments(self) -> tuple[str, ...]:
        if not self.words.take("("):
            return ()
        found: list[str] = []
        while not self.words.take(")"):
            token = self.words.token
            if token.kind == "end":
                raise self.words.refused(self.words.UNCLOSED, "a bracket is not closed")
            if token.upper == "-" and self.words.ahead(1).kind == "number":
                found.append("-" + self.words.ahead(1).text)
                self.words.place += 1
            elif token.upper != ",":
                found.append(token.upper)
            self.words.place += 1
        return tuple(found)

    def _column_clause(self, column: ColumnDefinition, definition: TableDefinition) -> None:
        words = self.words
        if words.take("DEFAULT"):
            if words.take("ON", "NULL"):
                raise UnsupportedError("DEFAULT ON NULL")
            column.default = self._default()
        elif words.take("GENERATED") or words.take("IDENTITY"):
            column.identity = self._identity()
        elif words.take("NULL"):
            return
        elif words.comes("AS"):
            raise UnsupportedError(f"the computed column {column.name}")
        elif words.take("COLLATE"):
            raise UnsupportedError("a column with a collation of its own")
        elif words.comes_any(_CONSTRAINTS | {"NOT", "REFERENCES"}):
            constraint = self._constraint(column.name)
            if constraint.kind != "check" or constraint.check:
                definition.constraints.append(constraint)
            self._skip_state(constraint, *_COLUMN_CLAUSES)
        else:
            self._skip_one()

    def _default(self) -> str:
        place = self.words.place
        self._skip_one()
        while self.words.token.kind != "end" and not self.words.comes_any(_COLUMN_CLAUSES | {",", ")"}):
            self._skip_one()
        return self.text_since(place)

    def _identity(self) -> tuple[int, int]:
        """GENERATED [ALWAYS | BY DEFAULT [ON NULL]] AS IDENTITY [(START WITH n INCREMENT BY n)]; (n, n)."""
        words = self.words
        while words.comes_any({"ALWAYS", "BY", "DEFAULT", "ON", "NULL", "AS", "IDENTITY"}):
            words.place += 1
        place = words.place
        if not words.comes("("):
            return 1, 1
        if self.is_oracle and not words.comes("(", "START") and not words.comes("(", "INCREMENT"):
            raise UnsupportedError("a computed column")
        words.skip_brackets()
        read = words.since(place)
        numbers = [int(token.text) for token in read if token.kind == "number"]
        if self.is_oracle:
            return _after(read, "WITH", 1), _after(read, "BY", 1)
        return (numbers[0], numbers[1]) if len(numbers) == 2 else (1, 1)

    def _constraint(self, column: str = "") -> Constraint:
        """One constraint, of a column where one is given."""
        words = self.words
        name = self.name() if words.take("CONSTRAINT") else ""
        if words.take("NOT"):
            words.want("NULL")
            return Constraint("not null", [column], name=name)
        if words.take("PRIMARY"):
            words.want("KEY")
            return Constraint("primary key", self._key_columns(column), name=name)
        if words.take("UNIQUE"):
            return Constraint("unique", self._key_columns(column), name=name)
        if words.take("CHECK"):
            if words.take("NOT"):
                words.want("FOR")
                words.want("REPLICATION")
            place = words.place
            words.skip_brackets()
            return Constraint("check", [], words.since(place), name=name)
        if words.comes("DEFAULT") or words.comes("NULL"):
            return Constraint("check")
        return self._foreign_key(column, name)

    def _key_columns(self, column: str) -> list[str]:
        while self.words.take("CLUSTERED") or self.words.take("NONCLUSTERED"):
            pass
        return [column] if column and not self.words.comes("(") else self.names()

    def _foreign_key(self, column: str, name: str) -> Constraint:
        columns = [column]
        if self.words.take("FOREIGN"):
            self.words.want("KEY")
            columns = self.names()
        self.words.want("REFERENCES")
        parent = self.table_name()
        parent_columns = self.names() if self.words.comes("(") else []
        return Constraint("foreign key", columns, [], parent, parent_columns, name)

    def _skip_state(self, constraint: Constraint, *ends: str) -> None:
        """What follows a constraint: ON DELETE …, USING INDEX …, NOT DEFERRABLE, and perhaps DISABLE."""
        words = self.words
        while words.token.kind != "end" and not words.comes_any({",", ")"}):
            if words.take("NOT", "DEFERRABLE") or words.take("SET", "NULL") or words.take("SET", "DEFAULT"):
                continue
            if words.comes_any(set(ends)):
                return
            constraint.is_disabled |= words.comes("DISABLE")
            self._skip_one()


def _after(tokens: list[Token], word: str, otherwise: int) -> int:
    """The number behind a word."""
    for before, token in pairwise(tokens):
        if before.upper == word and token.kind == "number":
            return int(token.text)
    return otherwise
