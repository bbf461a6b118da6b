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
    ROLES,
    BankColumn,
    BankKey,
    BankQuestion,
    BankTable,
    Constraint,
    DomainValue,
    InstanceStep,
    Manifest,
    Statement,
    Value,
)
from glue.errors import GlueError, nearest


def manifest_folder() -> Path:
    """Where the manifest lies: seeds/bank of the dbt project, in the checkout or in the installed wheel."""
    from glue.build import project_directory

    return project_directory() / "seeds" / "bank"


def read_manifest(folder: Path | None = None, questions_folder: Path | None = None) -> Manifest:
    """The manifest of `folder` (default: the one that comes with the program).

    `questions_folder` may hold other questions, constraints, statements and instances. GlueError names the
    file, the line and the field of a row that is missing something, refers to nothing, or has a word of its
    own.
    """
    folder = folder or manifest_folder()
    databases = _databases(folder)
    asked = questions_folder or folder
    questions = tuple(_questions(asked, databases))
    instances = _instances(asked, databases, {question.question_id: question.db_id for question in questions})
    return Manifest(folder, databases, questions, _domains(folder), instances)


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


def _records(folder: Path, name: str) -> Iterator[_Record]:
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise GlueError(f"the bank's manifest lacks {path}", "install evalhouse again, or restore the file")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        for fields in reader:
            yield _Record(path, reader.line_num, fields)


# --------------------------------------------------------------------------- databases


def _databases(folder: Path) -> dict[str, tuple[BankTable, ...]]:
    keys = _foreign_keys(folder)
    columns: dict[tuple[str, str], list[BankColumn]] = {}
    for row in _records(folder, "bank_columns"):
        columns.setdefault((row.text("db_id"), row.text("table_name")), []).append(_column(row))
    databases: dict[str, list[BankTable]] = {}
    for row in _records(folder, "bank_tables"):
        place = (row.text("db_id"), row.text("table_name"))
        table = BankTable(
            name=place[1],
            position=row.number("table_position"),
            generation_position=row.number("generation_position"),
            n_rows=row.number("n_rows"),
            description=row.text("description"),
            columns=tuple(sorted(columns.get(place, []), key=lambda column: column.position)),
            foreign_keys=tuple(keys.get(place, [])),
        )
        databases.setdefault(place[0], []).append(table)
    ordered = {name: tuple(sorted(tables, key=lambda t: t.position)) for name, tables in databases.items()}
    for db_id, tables in ordered.items():
        _check_references(folder, db_id, tables)
    return ordered


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


def _foreign_keys(folder: Path) -> dict[tuple[str, str], list[BankKey]]:
    parts: dict[tuple[str, str, str], list[_Record]] = {}
    for row in _records(folder, "bank_foreign_keys"):
        parts.setdefault((row.text("db_id"), row.text("table_name"), row.text("key_name")), []).append(row)
    keys: dict[tuple[str, str], list[BankKey]] = {}
    for (db_id, table_name, key_name), rows in parts.items():
        rows.sort(key=lambda row: row.number("key_position"))
        key = BankKey(
            key_name,
            tuple(row.text("column_name") for row in rows),
            rows[0].text("referenced_table"),
            tuple(row.text("referenced_column") for row in rows),
            rows[0].flag("is_enforced"),
        )
        keys.setdefault((db_id, table_name), []).append(key)
    return keys


def _domains(folder: Path) -> dict[str, tuple[DomainValue, ...]]:
    rows = sorted(_records(folder, "bank_value_domains"), key=lambda row: row.number("value_position"))
    domains: dict[str, list[DomainValue]] = {}
    for row in rows:
        value = DomainValue(row.text("value"), row.number("weight"), row.optional("meaning"))
        domains.setdefault(row.text("domain"), []).append(value)
    return {name: tuple(values) for name, values in domains.items()}


def _check_references(folder: Path, db_id: str, tables: Sequence[BankTable]) -> None:
    seen: set[str] = set()
    for table in tables:
        seen.add(table.name)
        for key in table.foreign_keys:
            if key.referenced_table not in seen:
                raise GlueError(
                    f"{folder / 'bank_foreign_keys.csv'}: {db_id}.{table.name} refers to "
                    f"{key.referenced_table}, which does not stand before it",
                    "change table_position in bank_tables.csv",
                )


# --------------------------------------------------------------------------- questions


def _questions(folder: Path, databases: dict[str, tuple[BankTable, ...]]) -> Iterator[BankQuestion]:
    rows = list(_records(folder, "bank_questions"))
    names = [row.text("question_id") for row in rows]
    constraints = _by_question(folder, "bank_constraints", names)
    statements = _by_question(folder, "bank_statements", names)
    for number, row in enumerate(rows):
        question_id = names[number]
        if question_id in names[:number]:
            raise row.error("question_id", f"{question_id} comes again", "give the question its own number")
        yield BankQuestion(
            question_id=question_id,
            db_id=row.one_of("db_id", tuple(databases)),
            category_group=row.text("category_group"),
            category=row.text("category"),
            difficulty=row.text("difficulty"),
            question=row.text("question"),
            evidence=row.optional("evidence"),
            is_ordered=row.flag("is_ordered"),
            is_sd_probe=row.flag("is_sd_probe"),
            constraints=_constraints(constraints.get(question_id, [])),
            statements=_statements(statements.get(question_id, [])),
        )


def _by_question(folder: Path, file: str, names: Sequence[str]) -> dict[str, list[_Record]]:
    found: dict[str, list[_Record]] = {}
    for row in _records(folder, file):
        found.setdefault(row.one_of("question_id", names), []).append(row)
    return found


def _constraints(rows: Sequence[_Record]) -> tuple[Constraint, ...]:
    made: dict[int, Constraint] = {}
    for row in rows:
        number = row.number("constraint_number")
        if number in made:
            raise row.error("constraint_number", f"{number} comes again", "number them from 1")
        kind = row.one_of("kind", CONSTRAINT_KINDS)
        made[number] = Constraint(number, kind, row.text("constraint_text").strip())
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


# --------------------------------------------------------------------------- instances


def _instances(
    folder: Path, databases: dict[str, tuple[BankTable, ...]], db_of_question: dict[str, str]
) -> dict[str, tuple[InstanceStep, ...]]:
    steps: dict[str, dict[int, InstanceStep]] = {}
    for row in _records(folder, "bank_instances"):
        instance, number = row.one_of("instance", tuple(db_of_question)), row.number("step")
        db_id = row.one_of("db_id", (db_of_question[instance],))
        table_name = row.one_of("table_name", tuple(table.name for table in databases[db_id]))
        table = next(table for table in databases[db_id] if table.name == table_name)
        if number in steps.setdefault(instance, {}):
            raise row.error("step", f"{number} of {instance} comes again", "number the steps from 1")
        action = row.one_of("action", ACTIONS)
        condition = row.optional("row_condition")
        if (condition is None) != (action == "insert"):
            raise row.error(
                "row_condition", f"does not go with {action}", "an update has one, an insert has none"
            )
        steps[instance][number] = InstanceStep(
            instance, number, db_id, action, table_name, condition, _assignments(row, table)
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
