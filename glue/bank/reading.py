"""Reads the bank's manifest, and says in which file, line and field a row is wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glue.bank.manifest import (
    ACTIONS,
    CONSTRAINT_KINDS,
    DIALECTS,
    EDITIONS,
    EXCEPTION_KINDS,
    ROLES,
    VALUE_TYPES,
    BankColumn,
    BankDatabase,
    BankKey,
    BankQuestion,
    BankTable,
    Constraint,
    DialectException,
    DomainValue,
    Fact,
    InstanceStep,
    Manifest,
    ResultColumn,
    Statement,
    Value,
)
from glue.errors import GlueError, nearest


def manifest_folder() -> Path:
    """Where the manifest lies: enterprise/ beside the dbt project, in the checkout or in the wheel."""
    from glue.build import project_directory

    return project_directory() / "enterprise"


def read_manifest(folder: Path | None = None) -> Manifest:
    """The manifest of `folder` (default: the one that comes with the program).

    GlueError names the file, the line and the field of a row that is missing something, refers to nothing, or
    has a word of its own.
    """
    folder = folder or manifest_folder()
    about = {database.db_id: database for database in _about(folder)}
    databases = {db_id: _tables(folder / db_id) for db_id in about}
    questions = tuple(question for db_id in about for question in _questions(folder / db_id, about[db_id]))
    instances = {
        name: steps for db_id in about for name, steps in _instances(folder / db_id, databases[db_id]).items()
    }
    facts = {db_id: tuple(_facts(folder / db_id)) for db_id in about}
    hints = {db_id: tuple(_hints(folder / db_id)) for db_id in about}
    domains = _domains(folder, tuple(about))
    return Manifest(folder, about, databases, questions, domains, instances, facts, hints)


@dataclass(frozen=True)
class _Record:
    """One row of a file, with the means to say where it stands."""

    path: Path
    line: int
    fields: dict[str, str]

    def text(self, name: str) -> str:
        """A field that must not be empty."""
        value = self.optional(name)
        if value is None:
            raise self.error(name, "is empty", "fill it in")
        return value

    def optional(self, name: str) -> str | None:
        value = self.fields.get(name)
        if value is None:
            raise self.error(name, "is missing", "is the row cut short, or the column not in the header?")
        return value if value.strip() else None

    def number(self, name: str) -> int:
        text = self.text(name)
        if not text.isdecimal():
            raise self.error(name, f"is {text!r}, no whole number", "write digits only")
        return int(text)

    def share(self, name: str) -> float:
        """A number from 0 to 1."""
        value = self.bound(name)
        if value is None or not 0 <= value <= 1:
            raise self.error(name, f"is {self.optional(name)!r}, not a share", "write a number from 0 to 1")
        return value

    def bound(self, name: str) -> float | None:
        """A number, or None where the field is empty."""
        text = self.optional(name)
        try:
            return None if text is None else float(text)
        except ValueError as error:
            raise self.error(name, f"is {text!r}, no number", "write digits, or leave it empty") from error

    def flag(self, name: str) -> bool:
        return self.one_of(name, ("true", "false")) == "true"

    def one_of(self, name: str, allowed: Sequence[str]) -> str:
        value = self.text(name)
        if value not in allowed:
            close = nearest(value, list(allowed))
            hint = f"did you mean {close!r}?" if close else f"it may be: {', '.join(allowed[:12])}"
            raise self.error(name, f"{value!r} is not known", hint)
        return value

    def error(self, name: str, problem: str, hint: str) -> GlueError:
        return GlueError(f"{self.path}, line {self.line}, {name}: {problem}", hint)


def _records(folder: Path, name: str, is_needed: bool = True) -> Iterator[_Record]:
    """The rows of a file; none of one that is not there and need not be."""
    path = folder / f"{name}.csv"
    if not path.is_file():
        if not is_needed:
            return
        raise GlueError(f"the bank's manifest lacks {path}", "install evalhouse again, or restore the file")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        for fields in reader:
            yield _Record(path, reader.line_num, fields)


# --------------------------------------------------------------------------- databases


def _about(folder: Path) -> Iterator[BankDatabase]:
    for row in _records(folder, "databases"):
        yield BankDatabase(
            db_id=row.text("db_id"),
            schema_id=row.text("schema_id"),
            tier=row.number("tier"),
            question_prefix=row.text("question_prefix"),
            title=row.text("title"),
            documented_share=row.share("documented_share"),
        )


def _tables(folder: Path) -> tuple[BankTable, ...]:
    keys = _foreign_keys(folder)
    columns: dict[str, list[BankColumn]] = {}
    for row in _records(folder, "columns"):
        columns.setdefault(row.text("table_name"), []).append(_column(row))
    tables = []
    for row in _records(folder, "tables"):
        name = row.text("table_name")
        table = BankTable(
            name=name,
            position=row.number("table_position"),
            generation_position=row.number("generation_position"),
            n_rows=row.number("n_rows"),
            description=row.text("description"),
            columns=tuple(sorted(columns.get(name, []), key=lambda column: column.position)),
            foreign_keys=tuple(keys.get(name, [])),
        )
        tables.append(table)
    tables.sort(key=lambda table: table.position)
    _check_references(folder, tables)
    return tuple(tables)


def _column(row: _Record) -> BankColumn:
    return BankColumn(
        name=row.text("column_name"),
        position=row.number("column_position"),
        generation_position=row.number("generation_position"),
        data_type=row.text("data_type"),
        is_nullable=row.flag("is_nullable"),
        is_primary_key=row.flag("is_primary_key"),
        value_domain=row.optional("value_domain"),
        description=row.text("description"),
        generator=row.text("generator"),
    )


def _foreign_keys(folder: Path) -> dict[str, list[BankKey]]:
    parts: dict[tuple[str, str], list[_Record]] = {}
    for row in _records(folder, "foreign_keys"):
        parts.setdefault((row.text("table_name"), row.text("key_name")), []).append(row)
    keys: dict[str, list[BankKey]] = {}
    for (table_name, key_name), rows in parts.items():
        rows.sort(key=lambda row: row.number("key_position"))
        key = BankKey(
            key_name,
            tuple(row.text("column_name") for row in rows),
            rows[0].text("referenced_table"),
            tuple(row.text("referenced_column") for row in rows),
            rows[0].flag("is_enforced"),
        )
        keys.setdefault(table_name, []).append(key)
    return keys


def _check_references(folder: Path, tables: Sequence[BankTable]) -> None:
    """An enforced key refers to a table that stands before its own, any other to one that is there."""
    names = {table.name for table in tables}
    seen: set[str] = set()
    for table in tables:
        seen.add(table.name)
        for key in table.foreign_keys:
            if key.referenced_table not in (seen if key.is_enforced else names):
                raise GlueError(
                    f"{folder / 'foreign_keys.csv'}: {table.name} refers to "
                    f"{key.referenced_table}, which does not stand before it",
                    "change table_position in tables.csv",
                )


def _domains(folder: Path, db_ids: Sequence[str]) -> dict[str, tuple[DomainValue, ...]]:
    """Value domains by name: those that databases share, and those of each database."""
    domains: dict[str, tuple[DomainValue, ...]] = {}
    for place in (folder, *(folder / db_id for db_id in db_ids)):
        own: dict[str, list[tuple[int, DomainValue]]] = {}
        for row in _records(place, "value_domains"):
            name = row.text("domain")
            if name in domains:
                raise row.error("domain", f"{name} stands in another file too", "give it a name of its own")
            value = DomainValue(row.text("value"), row.number("weight"), row.optional("meaning"))
            own.setdefault(name, []).append((row.number("value_position"), value))
        for name, values in own.items():
            domains[name] = tuple(value for _, value in sorted(values, key=lambda pair: pair[0]))
    return domains


def _hints(folder: Path) -> Iterator[str]:
    rows = sorted(_records(folder, "hints", is_needed=False), key=lambda row: row.number("hint_number"))
    yield from (row.text("hint") for row in rows)


def _facts(folder: Path) -> Iterator[Fact]:
    for row in _records(folder, "facts", is_needed=False):
        bounds = row.bound("at_least"), row.bound("at_most")
        if bounds == (None, None):
            raise row.error("at_least", "and at_most are both empty", "give the fact a bound")
        yield Fact(row.text("fact"), row.text("query"), *bounds)


# --------------------------------------------------------------------------- questions


def _questions(folder: Path, database: BankDatabase) -> Iterator[BankQuestion]:
    rows = list(_records(folder, "questions", is_needed=False))
    names = [row.text("question_id") for row in rows]
    constraints = _by_question(folder, "constraints", names)
    statements = _by_question(folder, "statements", names)
    constructs = _by_question(folder, "constructs", names)
    result_columns = _by_question(folder, "result_columns", names)
    exceptions = _by_question(folder, "dialect_exceptions", names)
    seen: set[str] = set()
    for question_id, row in zip(names, rows, strict=True):
        if question_id in seen:
            raise row.error("question_id", f"{question_id} comes again", "give the question its own number")
        if not question_id.startswith(f"{database.question_prefix}-"):
            hint = f"questions of {database.db_id} are {database.question_prefix}-001 and so on"
            raise row.error("question_id", f"{question_id} is not of this database", hint)
        seen.add(question_id)
        yield BankQuestion(
            question_id=question_id,
            db_id=database.db_id,
            category_group=row.text("category_group"),
            category=row.text("category"),
            difficulty=row.text("difficulty"),
            question=row.text("question"),
            evidence=row.optional("evidence"),
            is_ordered=row.flag("is_ordered"),
            is_sd_probe=row.flag("is_sd_probe"),
            constraints=_constraints(constraints.get(question_id, [])),
            statements=_statements(statements.get(question_id, [])),
            constructs=tuple(part.text("construct") for part in constructs.get(question_id, [])),
            result_columns=_result_columns(result_columns.get(question_id, [])),
            dialect_exceptions=tuple(
                DialectException(
                    part.one_of("dialect", DIALECTS),
                    part.one_of("kind", EXCEPTION_KINDS),
                    part.text("reason"),
                )
                for part in exceptions.get(question_id, [])
            ),
        )


def _by_question(folder: Path, file: str, names: Sequence[str]) -> dict[str, list[_Record]]:
    found: dict[str, list[_Record]] = {}
    known = frozenset(names)
    for row in _records(folder, file, is_needed=False):
        question_id = row.text("question_id")
        if question_id not in known:
            row.one_of("question_id", names)
        found.setdefault(question_id, []).append(row)
    return found


def _constraints(rows: Sequence[_Record]) -> tuple[Constraint, ...]:
    made: dict[int, Constraint] = {}
    for row in rows:
        number = row.number("constraint_number")
        if number in made:
            raise row.error("constraint_number", f"{number} comes again", "number them from 1")
        kind = row.one_of("kind", CONSTRAINT_KINDS)
        text = row.text("constraint_text").strip()
        made[number] = Constraint(number, kind, row.flag("is_activated"), text)
    return tuple(made[number] for number in sorted(made))


def _statements(rows: Sequence[_Record]) -> tuple[Statement, ...]:
    made: dict[tuple[str, str, str], Statement] = {}
    for row in rows:
        role, edition = row.one_of("role", ROLES), row.one_of("edition", EDITIONS)
        place = (role, edition, row.one_of("dialect", DIALECTS))
        if place in made:
            raise row.error("dialect", f"{' '.join(place)} comes again", "keep one of the two statements")
        made[place] = Statement(*place, row.text("sql").strip())
    return tuple(made.values())


def _result_columns(rows: Sequence[_Record]) -> tuple[ResultColumn, ...]:
    made = []
    for row in rows:
        kind = row.one_of("value_type", VALUE_TYPES)
        n_decimals = row.number("n_decimals") if kind == "number" else None
        made.append(ResultColumn(row.number("column_position"), row.text("column_name"), kind, n_decimals))
    return tuple(sorted(made, key=lambda column: column.position))


# --------------------------------------------------------------------------- instances


def _instances(folder: Path, tables: Sequence[BankTable]) -> dict[str, tuple[InstanceStep, ...]]:
    by_name = {table.name: table for table in tables}
    asked = [row.text("question_id") for row in _records(folder, "questions", is_needed=False)]
    known = frozenset(asked)
    steps: dict[str, dict[int, InstanceStep]] = {}
    for row in _records(folder, "instances", is_needed=False):
        instance, number = row.text("instance"), row.number("step")
        if instance not in known:
            row.one_of("instance", asked)
        table = by_name[row.one_of("table_name", tuple(by_name))]
        if number in steps.setdefault(instance, {}):
            raise row.error("step", f"{number} of {instance} comes again", "number the steps from 1")
        action = row.one_of("action", ACTIONS)
        condition = row.optional("row_condition")
        if (condition is None) != (action == "insert"):
            raise row.error(
                "row_condition", f"does not go with {action}", "an update has one, an insert has none"
            )
        steps[instance][number] = InstanceStep(
            instance, number, folder.name, action, table.name, condition, _assignments(row, table)
        )
    return {name: tuple(made[number] for number in sorted(made)) for name, made in steps.items()}


def _assignments(row: _Record, table: BankTable) -> dict[str, Value]:
    """What a step sets: a JSON object from columns of the table to numbers, texts or null."""
    try:
        values = json.loads(row.text("assignments"))
    except json.JSONDecodeError as error:
        raise row.error("assignments", f"is no JSON: {error}", 'write {"column": value}') from error
    if not isinstance(values, dict) or not values:
        raise row.error("assignments", "is no JSON object with a column", 'write {"column": value}')
    columns = [column.name for column in table.columns]
    for name, value in values.items():
        if name not in columns:
            close = nearest(name, columns)
            hint = f"did you mean {close!r}?" if close else f"columns: {', '.join(columns)}"
            raise row.error("assignments", f"{table.name} has no column {name!r}", hint)
        if isinstance(value, bool) or not isinstance(value, str | int | float | None):
            raise row.error("assignments", f"{name} is neither number, text nor null", "write one of these")
    return values
