"""BEAVER: questions over enterprise schemas, with golds in MySQL's SQL and in part in Oracle's; no rows.

A folder with
dev_tables.json  {"db#sep#table": {"db_id", "table_name_original", "column_names_original", "column_types",
                 "primary_key", "foreign_key"}}; the keys may be absent
dev_dw.json      [{"question", "db_id", "sql", "oracle_sql", "gold_tables", "mapping", "join_keys"}]
dev_nw.json      the same without oracle_sql and mapping

`sql` is MySQL's, `oracle_sql` Oracle's. A benchmark has the golds of one dialect, and of the schemas those
that its questions ask. A question's id is its file's name and its 0-based position, `dw/0`, in either
dialect; it is known as one question in both.

What the files say about golds (`gold_tables`, `join_keys`, `mapping`, dw_join_keys.json) is left: tables and
columns of a gold are read off its SQL, and what golds join is no key that a schema declares.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from glue.errors import GlueError, nearest
from glue.importers.catalog import refuse_undescribed
from glue.importers.common import (
    ImportBatch,
    JsonObject,
    Row,
    existing,
    is_storable,
    kind_of,
    known_dialect,
    read_json,
    shown,
)
from glue.importers.questions import QuestionFields, add_entries, read_entries

TABLES_SOURCE = "beaver_tables"
TABLES_FILE = "dev_tables.json"
QUESTION_FILES = ("dev_dw.json", "dev_nw.json")
GOLD_FIELDS = {"oracle": "oracle_sql", "mysql": "sql"}
NAMES = {"oracle": "beaver", "mysql": "beaver_mysql"}
"""What the benchmark is called, by the dialect of its golds."""

_OPTION = "FOLDER"
_SEPARATOR = "#sep#"
_TYPE = re.compile(r"\s*(\w+(?:\s*\([^)]*\))?(?:\s+unsigned)?)", re.IGNORECASE)


def read_beaver(folder: Path, dialect: str = "oracle", name: str | None = None) -> ImportBatch:
    """Read the questions of a folder that have golds in `dialect`, and the schemas they ask.

    GlueError when there is no such folder, file or dialect, or no question with a gold in it; single bad
    entries are refused and the rest lands.
    """
    dialect = known_dialect(dialect)
    if dialect not in GOLD_FIELDS:
        raise GlueError(f"BEAVER has no golds in {dialect}", f"choose one of {', '.join(GOLD_FIELDS)}")
    existing(folder, _OPTION)
    if not folder.is_dir():
        raise GlueError(f"{_OPTION}: {folder} is a file", f"name the folder that holds {TABLES_FILE}")
    name = NAMES[dialect] if name is None else name
    options = {"name": name, "dialect": dialect}
    batch = ImportBatch("beaver", f"benchmark:{name}:beaver", name, options=options)
    db_ids = _add_questions(batch, folder, dialect)
    described = _add_schemas(batch, folder / TABLES_FILE, db_ids)
    for db_id in db_ids:
        batch.add("databases", benchmark=name, db_id=db_id, source=TABLES_SOURCE)
    refuse_undescribed(batch, folder / TABLES_FILE, [db_id for db_id in db_ids if db_id not in described])
    batch.notes += [
        "schemas, questions and golds alone: BEAVER's files hold no rows, and no question can be executed or "
        f"scored before glue import database --name {name} --db-id DB brings a database that has them",
        "gold_tables, join_keys, mapping and dw_join_keys.json are left: golds themselves say what they need",
    ]
    return batch


# --- Questions ----------------------------------------------------------------------------------------------


def _add_questions(batch: ImportBatch, folder: Path, dialect: str) -> list[str]:
    """Land the questions of every file that has golds in the dialect; gives the databases they ask."""
    field = GOLD_FIELDS[dialect]
    paths = [folder / file for file in QUESTION_FILES if (folder / file).exists()]
    if not paths:
        existing(folder / QUESTION_FILES[0], _OPTION)
    db_ids: dict[str, None] = {}
    n_before = 0
    for path in paths:
        entries = read_entries(path, batch, _OPTION)
        if any(isinstance(entry, dict) and field in entry for entry in entries):
            prefix = f"{path.stem.removeprefix('dev_')}/"
            fields = QuestionFields(None, (field,))
            db_ids |= dict.fromkeys(
                add_entries(batch, path, entries, fields, dialect, _OPTION, prefix, n_before)
            )
        else:
            batch.notes.append(
                f"{path.name} is left: none of its {len(entries)} entries has a gold in {dialect} ({field})"
            )
        n_before += len(entries)
    if not db_ids:
        raise GlueError(
            f"{_OPTION}: no question in {folder} has a gold in {dialect}: no entry has the field {field}",
            f"--dialect {next(other for other in GOLD_FIELDS if other != dialect)} reads the other golds",
        )
    for row in batch.rows["questions"]:
        row["source_question_id"] = f"beaver/{row['question_id']}"
    return list(db_ids)


# --- Schemas ------------------------------------------------------------------------------------------------

Tables = dict[tuple[str, str], Row]
"""Entries of the schemas' file by database and table."""


class _Wrong(Exception):
    """Why a table is refused."""

    def __init__(self, field: str | None, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.field, self.reason, self.detail = field, reason, detail


def _add_schemas(batch: ImportBatch, path: Path, db_ids: list[str]) -> set[str]:
    """Land the tables, columns and keys of some databases; gives those of which a table landed."""
    tables = _read_tables(batch, path, db_ids)
    positions: dict[str, int] = {}
    for (db_id, table), entry in tables.items():
        positions[db_id] = positions.get(db_id, 0) + 1
        of_table = {
            "benchmark": batch.benchmark,
            "db_id": db_id,
            "source": TABLES_SOURCE,
            "table_name": table,
        }
        batch.add("tables", **of_table, table_position=positions[db_id])
        _add_columns(batch, path, entry, of_table)
        _add_foreign_keys(batch, path, tables, entry, of_table)
    return set(positions)


def _read_tables(batch: ImportBatch, path: Path, db_ids: list[str]) -> Tables:
    """The tables of some databases; entries that are none are refused."""
    content = read_json(path, batch, _OPTION)
    if not isinstance(content, JsonObject):
        raise GlueError(
            f"{_OPTION}: {path} holds {kind_of(content)}, not an object",
            f'its keys are "database{_SEPARATOR}table"',
        )
    for key in content.repeated:
        detail = f"{key} is described more than once"
        batch.refuse(path, f'key "{key}"', "duplicate", detail, "the last one counts", is_landed=True)
    tables: Tables = {}
    for key, entry in content.items():
        try:
            db_id, table = _place(entry)
            if db_id in db_ids:
                _check_columns(entry)
                if (db_id, table) in tables:
                    raise _Wrong("table_name_original", "duplicate", f"table {table} of {db_id} again")
                tables[db_id, table] = entry
        except _Wrong as wrong:
            advice = "mend or remove the entry"
            batch.refuse(path, f'key "{key}"', wrong.reason, wrong.detail, advice, field=wrong.field)
    return tables


def _place(entry: Any) -> tuple[str, str]:
    """The database and table that an entry is about; _Wrong where it does not say."""
    if not isinstance(entry, dict):
        raise _Wrong(None, "not_an_object", kind_of(entry))
    for field in ("db_id", "table_name_original"):
        value = entry.get(field)
        if not isinstance(value, str) or not value.strip() or not is_storable(value):
            raise _Wrong(field, "missing" if value is None else "not_text", f"{field}: {kind_of(value)}")
    return entry["db_id"].strip(), entry["table_name_original"]


def _check_columns(entry: Row) -> None:
    """_Wrong where an entry's columns and types are not lists of texts, of equal length."""
    for field in ("column_names_original", "column_types"):
        value = entry.get(field)
        if not isinstance(value, list) or not all(
            isinstance(text, str) and is_storable(text) for text in value
        ):
            detail = f"{field} is no list of texts"
            raise _Wrong(field, "missing" if value is None else "malformed", detail)
    n_columns, n_types = len(entry["column_names_original"]), len(entry["column_types"])
    if n_types != n_columns:
        raise _Wrong("column_types", "malformed", f"{n_types} types of {n_columns} columns")


def _add_columns(batch: ImportBatch, path: Path, entry: Row, of_table: dict[str, str]) -> None:
    columns = entry["column_names_original"]
    primary = _listed(entry, "primary_key")
    for name in primary:
        if name not in columns:
            close = nearest(str(name), columns)
            detail = f"the table has no column {shown(name)!r}" + (f"; is {close!r} meant?" if close else "")
            _refuse_key(batch, path, of_table, "primary_key", detail)
    for number, (column, declared) in enumerate(zip(columns, entry["column_types"], strict=True), 1):
        batch.add(
            "columns",
            **of_table,
            column_name=column,
            column_position=number,
            data_type=_data_type(declared),
            is_primary_key=column in primary,
            is_nullable=_is_nullable(declared),
        )


def _data_type(declared: str) -> str | None:
    """`varchar(255)` of `varchar(255) COLLATE utf8mb4_unicode_ci NOT NULL`."""
    found = _TYPE.match(declared)
    return found[1] if found else None


def _is_nullable(declared: str) -> bool | None:
    """What a declaration says of NULL; None where it says nothing."""
    words = " ".join(declared.upper().split())
    if "NOT NULL" in words:
        return False
    return True if "DEFAULT NULL" in words else None


def _add_foreign_keys(
    batch: ImportBatch, path: Path, tables: Tables, entry: Row, of_table: dict[str, str]
) -> None:
    """Land the foreign keys of a table, a column each; those that lead nowhere are refused."""
    for number, key in enumerate(_listed(entry, "foreign_key")):
        problem = _key_problem(tables, entry, key)
        if problem is not None:
            _refuse_key(batch, path, of_table, "foreign_key", f"number {number + 1}: {problem}")
            continue
        batch.add(
            "foreign_keys",
            **of_table,
            key_name=f"{of_table['table_name']}#{number}",
            key_position=1,
            column_name=key["column_name"],
            referenced_table=key["referenced_table_name"].partition(_SEPARATOR)[2],
            referenced_column=key["referenced_column_name"],
        )


def _key_problem(tables: Tables, entry: Row, key: Any) -> str | None:
    """What is wrong with a foreign key; None where nothing is."""
    names = ("column_name", "referenced_table_name", "referenced_column_name")
    if not isinstance(key, dict) or not all(isinstance(key.get(name), str) for name in names):
        return f"it needs {', '.join(names)}"
    column, referenced_table, referenced_column = (key[name] for name in names)
    db_id, _, table = referenced_table.partition(_SEPARATOR)
    if column not in entry["column_names_original"]:
        return f"the table has no column {column!r}"
    if db_id != entry["db_id"].strip():
        return f"{referenced_table!r} is in another database"
    if (db_id, table) not in tables:
        return f"there is no table {referenced_table!r}"
    if referenced_column not in tables[db_id, table]["column_names_original"]:
        return f"{referenced_table!r} has no column {referenced_column!r}"
    return None


def _listed(entry: Row, field: str) -> list[Any]:
    """A list, which may be absent; anything else as its only member."""
    value = entry.get(field)
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _refuse_key(batch: ImportBatch, path: Path, of_table: dict[str, str], field: str, detail: str) -> None:
    record = f'key "{of_table["db_id"]}{_SEPARATOR}{of_table["table_name"]}"'
    advice = "the table landed without this key; mend the entry"
    batch.refuse(path, record, "unknown_key", detail, advice, field=field)
