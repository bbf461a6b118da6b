"""BIRD: questions with evidence and gold SQL, tables.json, SQLite files, description CSVs, column meanings.

questions   [{"question_id", "db_id", "question", "evidence", "SQL", "difficulty"}]; train has no difficulty,
            and in old files no question_id: there the 0-based position is the id
tied        the same, one entry per further accepted gold of a question (dev_tied_append.json)
databases   DIR/<db>/<db>.sqlite or DIR/<db>.sqlite
descriptions DIR/<db>/database_description/<table>.csv or DIR/<db>/<table>.csv
meanings    {"db|table|column": "text"}
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from pathlib import Path

from glue.errors import GlueError
from glue.importers.catalog import (
    KnownNames,
    add_databases,
    add_described,
    folded,
    merge_tables,
    read_tables_json,
    refuse_undescribed,
)
from glue.importers.common import (
    ImportBatch,
    OnProgress,
    existing,
    id_text,
    known_dialect,
    read_bytes,
    shown,
    text_or_none,
)
from glue.importers.meanings import add_meanings
from glue.importers.questions import BIRD_FIELDS, add_gold, add_questions, read_entries

TABLES_SOURCE = "bird_tables"
DESCRIPTION_SOURCE = "description_csv"

_CSV_FIELDS = (
    "original_column_name",
    "column_name",
    "column_description",
    "data_format",
    "value_description",
)


def read_bird(
    name: str,
    questions: Path,
    tables: Path | None = None,
    databases: Path | None = None,
    descriptions: Path | None = None,
    column_meaning: Path | None = None,
    tied: Path | None = None,
    dialect: str = "sqlite",
    on_progress: OnProgress | None = None,
) -> ImportBatch:
    """Read a BIRD benchmark under the name `name`. Only `questions` is needed.

    GlueError when a file is not there or not what it should be; single bad entries are refused and the rest
    lands.
    """
    dialect = known_dialect(dialect)
    batch = ImportBatch("bird", f"benchmark:{name}:bird", name, options={"name": name, "dialect": dialect})
    of_questions = add_questions(batch, questions, BIRD_FIELDS, dialect)
    described = read_tables_json(tables, batch) if tables is not None else {}
    db_ids = list(dict.fromkeys([*described, *of_questions]))
    add_databases(batch, db_ids, databases, TABLES_SOURCE, on_progress=on_progress)
    if tables is not None:
        add_described(batch, tables, described.values(), TABLES_SOURCE)
        refuse_undescribed(batch, tables, [db_id for db_id in of_questions if db_id not in described])
    merge_tables(batch)
    if descriptions is not None:
        _add_descriptions(batch, descriptions, db_ids)
    if column_meaning is not None:
        add_meanings(batch, column_meaning, db_ids)
    if tied is not None:
        _add_tied(batch, tied, dialect)
    return batch


# --- Further golds ------------------------------------------------------------------------------------------


def _add_tied(batch: ImportBatch, path: Path, dialect: str) -> None:
    """Land the alternatives of dev_tied_append.json as gold 2, 3, … of their questions."""
    known: dict[str, list[str]] = {row["question_id"]: [] for row in batch.rows["questions"]}
    for row in batch.rows.get("golds", []):
        known[row["question_id"]].append(row["gold_sql"])
    for number, entry in enumerate(read_entries(path, batch, "--tied"), 1):
        question_id = id_text(entry.get("question_id")) if isinstance(entry, dict) else None
        gold = text_or_none(entry.get("SQL")) if isinstance(entry, dict) else None
        record = f"entry {number}"
        if question_id is None or gold is None:
            batch.refuse(path, record, "malformed", shown(entry), "it needs question_id and SQL")
        elif question_id not in known:
            detail = f"question {question_id} is not in the questions file"
            batch.refuse(path, record, "extra", detail, "give the matching file", question_id=question_id)
        elif gold not in known[question_id]:
            known[question_id].append(gold)
            add_gold(batch, question_id, gold, dialect, number=len(known[question_id]))


# --- Description CSVs ---------------------------------------------------------------------------------------


def _add_descriptions(batch: ImportBatch, folder: Path, db_ids: Collection[str]) -> None:
    existing(folder, "--descriptions")
    known = KnownNames.of(batch)
    n_files = 0
    for db_id in db_ids:
        files = _description_files(folder, db_id)
        n_files += len(files)
        if not files:
            detail = f"no description CSV for database {db_id}"
            place = _description_place(folder, db_id)
            batch.refuse(folder, f"database {db_id}", "no_descriptions", detail, place, is_landed=True)
            continue
        described = {table for path in files if (table := _add_description_file(batch, known, db_id, path))}
        for table in known.tables.get(db_id, {}).values():
            if folded(table) not in described:
                detail = f"table {db_id}.{table} has no description CSV"
                advice = f"put it at {files[0].parent / table}.csv"
                batch.refuse(
                    files[0].parent, f"table {table}", "no_descriptions", detail, advice, is_landed=True
                )
    if not n_files:
        raise GlueError(
            f"--descriptions: {folder} has no description CSV for any of the {len(db_ids)} databases",
            _description_place(folder, next(iter(db_ids))),
        )


def _description_place(folder: Path, db_id: str) -> str:
    return f"they belong at {folder}/{db_id}/database_description/<table>.csv"


def _description_files(folder: Path, db_id: str) -> list[Path]:
    for place in (folder / db_id / "database_description", folder / db_id):
        if place.is_dir():
            files = [path for path in sorted(place.iterdir()) if path.suffix.lower() == ".csv"]
            files = [path for path in files if not path.name.startswith(".")]
            if files:
                return files
    return []


def _add_description_file(batch: ImportBatch, known: KnownNames, db_id: str, path: Path) -> str | None:
    """Land a table's descriptions; gives the table's folded name, None when the file was refused."""
    table = known.table(db_id, path.stem)
    if table is None:
        close = known.nearest_table(db_id, path.stem)
        advice = f"did you mean {close}.csv?" if close else "remove it or rename it to a table's name"
        batch.refuse(path, "file", "unknown_table", f"{db_id} has no table {path.stem!r}", advice)
        return None
    text = _description_text(batch, path)
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), strict=False))
    except csv.Error as error:
        batch.refuse(path, "file", "not_csv", str(error), "mend the file")
        return None
    header = [name.strip().lower() for name in records[0]] if records else []
    if _CSV_FIELDS[0] not in header:
        detail = f"the header has no {_CSV_FIELDS[0]}: {shown(header)}"
        batch.refuse(path, "line 1", "no_header", detail, f"the header is {','.join(_CSV_FIELDS)}")
        return None
    for number, record in enumerate(records[1:], 2):
        _add_description(batch, known, db_id, table, path, number, header, record)
    return folded(table)


def _description_text(batch: ImportBatch, path: Path) -> str:
    """A description file's text: UTF-8 with or without byte order mark, else Windows-1252, else Latin-1."""
    content = read_bytes(path, batch, "--descriptions")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    for encoding in ("cp1252", "latin-1"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        advice = "check its special characters, or save it as UTF-8"
        batch.refuse(path, "file", "encoding", f"not UTF-8, read as {encoding}", advice, is_landed=True)
        return text
    raise AssertionError("every byte is Latin-1")


def _add_description(
    batch: ImportBatch,
    known: KnownNames,
    db_id: str,
    table: str,
    path: Path,
    number: int,
    header: list[str],
    record: list[str],
) -> None:
    if not any(cell.strip() for cell in record):
        return
    values = dict(zip(header, record, strict=False))
    stray = [cell.strip() for cell in _beyond(header, record) if cell.strip()]
    value_description = _cell(values, "value_description")
    if stray:
        is_kept = value_description is None
        value_description = value_description or "\n".join(stray)
        detail = f"outside the known columns: {shown(stray[0])}"
        advice = "kept as the value description" if is_kept else "left out; quote cells that hold commas"
        batch.refuse(path, f"row {number}", "stray_column", detail, advice, is_landed=True)
    spelled = values.get(_CSV_FIELDS[0], "")
    if not spelled.strip():
        batch.refuse(
            path, f"row {number}", "blank_name", shown(record), "name its column", field=_CSV_FIELDS[0]
        )
        return
    column = known.column(db_id, table, spelled)
    if column is None:
        close = known.nearest_column(db_id, table, spelled)
        advice = f"did you mean {close!r}?" if close else "remove it"
        detail = f"{db_id}.{table} has no column {spelled.strip()!r}"
        batch.refuse(path, f"row {number}", "unknown_column", detail, advice, field=_CSV_FIELDS[0])
        return
    batch.add(
        "columns",
        benchmark=batch.benchmark,
        db_id=db_id,
        source=DESCRIPTION_SOURCE,
        table_name=table,
        column_name=column.strip() if column == spelled else column,
        data_type=_cell(values, "data_format"),
        natural_name=_cell(values, "column_name"),
        description=_cell(values, "column_description"),
        value_description=value_description,
    )


def _beyond(header: list[str], record: list[str]) -> Iterator[str]:
    """The cells that stand in no known column."""
    for index, cell in enumerate(record):
        if index >= len(header) or header[index] not in _CSV_FIELDS:
            yield cell


def _cell(values: dict[str, str], name: str) -> str | None:
    return values.get(name, "").strip() or None
