"""Prediction files of every kind in use, as one list of entries: what each says and where it stands.

    bird            {"0": "SELECT …<TAB>----- bird -----<TAB>database"} dictionary      {"id": "SELECT …"}, or
    {"id": {"predicted_sql": "SELECT …"}} list            ["SELECT …", "SELECT …"] records
    [{"question_id": 0, "predicted_sql": "SELECT …"}], or {"results": [{…}]} with --records results jsonl
    one such object a line csv             with a header line; comma, semicolon or tab lines           one
    query a line, in the order of the questions id_lines        id<TAB>SELECT … database_lines  SELECT
    …<TAB>database, in the order of the questions

The format and the fields are found out and named in `notes`; every choice can be overridden.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from glue.errors import GlueError, nearest
from glue.extraction import SQL_FIELDS, is_sql, plain_name, split_bird_suffix
from glue.importers.common import (
    ImportBatch,
    JsonObject,
    decode,
    id_text,
    is_storable,
    kind_of,
    listed,
    parse_json,
    read_bytes,
    shown,
    storable,
)

FORMATS = ("bird", "dictionary", "list", "records", "jsonl", "csv", "lines", "id_lines", "database_lines")

_ID_FIELDS = (
    "question_id",
    "questionid",
    "qid",
    "task_idx",
    "task_id",
    "idx",
    "index",
    "instance_id",
    "example_id",
    "item_id",
    "id",
    "no",
    "number",
)
_DATABASE_FIELDS = ("db_id", "database", "db", "database_id", "db_name", "dbname", "database_name", "dbid")
_QUESTION_FIELDS = (
    "question",
    "nlq",
    "utterance",
    "nl_question",
    "natural_language_question",
    "user_question",
    "nl",
)
_GOLD_FIELDS = (
    "gold_sql",
    "gold_query",
    "gold",
    "goldsql",
    "ground_truth_sql",
    "ground_truth",
    "gt_sql",
    "reference_sql",
    "reference",
    "target_sql",
    "target",
    "sql",
    "query",
)
_WHAT = "predictions"


@dataclass(frozen=True)
class FileOptions:
    """What the user says about the file; None is found out."""

    format: str | None = None
    sql_field: str | None = None
    id_field: str | None = None
    gold_field: str | None = None
    sample_field: str | None = None
    records: str | None = None


@dataclass(frozen=True)
class Entry:
    """One entry: what stands in it (`value`, mostly a text), and what it says it answers."""

    record: str  # 'key "37"', 'line 12', 'row 4'
    position: int  # 0-based place in the file
    value: Any
    raw: str | None = None  # the entry as it came, when `value` is only a part of it
    steps: tuple[str, ...] = ()  # what was cut off `raw` to get `value`
    problem: str | None = None  # unsplittable, no_field, not_utf8: there is no usable value
    key: str | None = None  # the id that the file gives
    db_id: str | None = None
    question: str | None = None
    gold: str | None = None
    sample: int = 1


@dataclass
class PredictionFile:
    """A file's entries and how they were read. `id_source` says where ids come from; None without ids."""

    format: str
    entries: list[Entry]
    id_source: str | None = None
    is_numbered: bool = False  # a dictionary whose keys are 0, 1, 2, …: they may be ids or positions
    gold_field: str | None = None
    notes: list[str] = field(default_factory=list)


def read_prediction_file(
    path: Path,
    batch: ImportBatch,
    options: FileOptions,
    db_ids: Collection[str],
    question_ids: Collection[str],
) -> PredictionFile:
    """Read a file; the benchmark's database names and ids help to tell formats apart.

    GlueError when the file cannot be read as the format named or found, or has no field that holds SQL.
    """
    if options.format is not None and options.format not in FORMATS:
        close = nearest(options.format, list(FORMATS))
        raise GlueError(
            f"unknown format {options.format!r}",
            f"did you mean {close!r}?" if close else f"formats: {listed(FORMATS, 9)}",
        )
    content = read_bytes(path, batch, _WHAT)
    if not content.strip(b"\xef\xbb\xbf \t\r\n"):
        raise GlueError(f"{_WHAT}: {path} is empty", "give the file that holds the predictions")
    name = options.format or _sniffed(content, path)
    if name == "json":
        return _read_json(
            parse_json(decode(content, path, _WHAT), path, _WHAT), path, batch, options, question_ids
        )
    if name in ("bird", "dictionary", "list", "records"):
        value = parse_json(decode(content, path, _WHAT), path, _WHAT)
        return _read_json(value, path, batch, options, question_ids)
    if name == "jsonl":
        return _read_jsonl(decode(content, path, _WHAT), path, batch, options)
    if name == "csv":
        return _read_csv(decode(content, path, _WHAT), path, batch, options)
    return _read_lines(content, name if options.format else None, db_ids, question_ids)


def _sniffed(content: bytes, path: Path) -> str:
    """json, jsonl, csv or lines, by content first and the file's name second."""
    text = content.decode("utf-8-sig", "replace").lstrip()
    suffix = path.suffix.lower()
    if text[0] in "[{":
        if suffix != ".json" and _is_jsonl(text):
            return "jsonl"
        return "json"
    if suffix in (".json", ".jsonl", ".ndjson"):
        return "jsonl" if suffix != ".json" else "json"
    if suffix in (".csv", ".tsv") or _delimiter(text, None) is not None:
        return "csv"
    return "lines"


def _is_jsonl(text: str) -> bool:
    """Does every line hold a JSON object, and are there several of them, or is there but one line?"""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines[0].lstrip().startswith("{") or (len(lines) == 1 and not text.startswith("{")):
        return False
    try:
        return len(lines) > 1 and all(isinstance(json.loads(line), dict) for line in lines[:2])
    except (ValueError, RecursionError):
        return False


# --- JSON ---------------------------------------------------------------------------------------------------


def _read_json(
    content: Any, path: Path, batch: ImportBatch, options: FileOptions, question_ids: Collection[str]
) -> PredictionFile:
    note: list[str] = []
    if options.records is not None:
        content = _at_path(content, options.records, path)
    elif isinstance(content, JsonObject) and options.format in (None, "records"):
        nested = _nested_records(content, question_ids)
        if nested is not None:
            content = content[nested]
            note.append(f"entries: the list under key {nested!r}")
    if isinstance(content, list):
        read = _read_list(content, path, batch, options)
    elif isinstance(content, JsonObject):
        read = _read_dictionary(content, path, batch, options)
    else:
        raise GlueError(
            f"{_WHAT}: {path} holds {kind_of(content)}", "give a list or a dictionary of predictions"
        )
    read.notes[1:1] = note
    return read


def _at_path(content: Any, dotted: str, path: Path) -> Any:
    for key in dotted.split("."):
        if not isinstance(content, dict) or key not in content:
            keys = list(content) if isinstance(content, dict) else []
            close = nearest(key, keys)
            hint = f"did you mean {close!r}?" if close else f"keys there: {listed(keys) or 'none'}"
            raise GlueError(f"--records: {path} has no key {key!r}", hint)
        content = content[key]
    return content


def _nested_records(content: JsonObject, question_ids: Collection[str]) -> str | None:
    """The one key whose value is a list of objects, in a dictionary that is not itself the predictions."""
    n_ids = sum(key in question_ids or key.isdigit() for key in content)
    if n_ids * 2 >= len(content):
        return None
    lists = [key for key, value in content.items() if isinstance(value, list) and _are_records(value)]
    if len(lists) > 1:
        raise GlueError(
            f"{_WHAT}: the file has several lists of objects: {listed(lists)}", "say which with --records KEY"
        )
    return lists[0] if lists else None


def _are_records(values: list[Any]) -> bool:
    return bool(values) and sum(isinstance(value, dict) for value in values) * 2 > len(values)


def _read_list(values: list[Any], path: Path, batch: ImportBatch, options: FileOptions) -> PredictionFile:
    if not values:
        raise GlueError(f"{_WHAT}: {path} holds an empty list", "give the file that holds the predictions")
    if _are_records(values) and options.format != "list":
        return _read_records(
            [(f"entry {number}", value) for number, value in enumerate(values, 1)], "records", path, options
        )
    if options.format == "records":
        raise GlueError(
            f"{_WHAT}: {path} is a list of {kind_of(values[0])}s, not of objects", "leave --format out"
        )
    entries = [_with_suffix(Entry(f"entry {index + 1}", index, value)) for index, value in enumerate(values)]
    return PredictionFile("list", entries, notes=["format: a JSON list, one prediction after the other"])


def _read_dictionary(
    content: JsonObject, path: Path, batch: ImportBatch, options: FileOptions
) -> PredictionFile:
    for key in content.repeated:
        detail = "the key came more than once; its last value counts"
        batch.refuse(path, f'key "{shown(key)}"', "duplicate", detail, "remove the others", is_landed=True)
    if not content:
        raise GlueError(
            f"{_WHAT}: {path} holds an empty dictionary", "give the file that holds the predictions"
        )
    is_numbered = all(key.isdigit() for key in content)
    if _are_records(list(content.values())):
        records = [(f'key "{key}"', value) for key, value in content.items()]
        read = _read_records(records, "dictionary", path, options)
        keyed = zip(read.entries, content, strict=True)
        if options.id_field is None:
            read.entries = [replace(entry, key=storable(key)) for entry, key in keyed]
            read.id_source = "the dictionary's keys"
            read.is_numbered = is_numbered
        return read
    entries = [
        _with_suffix(Entry(f'key "{storable(key)}"', index, value, key=storable(key)))
        for index, (key, value) in enumerate(content.items())
    ]
    texts = [entry for entry in entries if isinstance(entry.value, str) and entry.value.strip()]
    n_split = sum(entry.db_id is not None for entry in texts)
    is_bird = options.format == "bird" or (
        options.format is None and n_split > 0 and n_split * 2 >= len(texts)
    )
    if is_bird:
        entries = [_unless_split(entry) for entry in entries]
        note = "format: BIRD's dictionary (SQL, separator, database)"
    else:
        note = "format: a dictionary from id to SQL"
    name = "bird" if is_bird else "dictionary"
    return PredictionFile(name, entries, "the dictionary's keys", is_numbered, notes=[note])


def _with_suffix(entry: Entry) -> Entry:
    """Note the database that BIRD's suffix names."""
    if not isinstance(entry.value, str):
        return entry
    return replace(entry, db_id=split_bird_suffix(entry.value)[1])


def _unless_split(entry: Entry) -> Entry:
    """In BIRD's format, a text without the separator and the database is not to be guessed at."""
    is_text = isinstance(entry.value, str) and bool(entry.value.strip())
    return replace(entry, problem="unsplittable") if is_text and entry.db_id is None else entry


def _read_jsonl(text: str, path: Path, batch: ImportBatch, options: FileOptions) -> PredictionFile:
    records: list[tuple[str, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            records.append((f"line {number}", json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise GlueError(
                f"{_WHAT}: {path}, line {number} is not JSON: {error}", "mend the line"
            ) from error
    return _read_records(records, "jsonl", path, options)


# --- Records ------------------------------------------------------------------------------------------------


def _read_records(
    records: list[tuple[str, Any]], name: str, path: Path, options: FileOptions
) -> PredictionFile:
    """Objects with fields: JSON records, JSON lines and CSV rows."""
    objects = [value for _, value in records if isinstance(value, dict)]
    fields = _Fields(objects, path)
    sql_field = fields.named("--sql-field", options.sql_field) or fields.first(SQL_FIELDS, _is_text)
    if sql_field is None:
        raise GlueError(
            f"{_WHAT}: none of the fields of {path} is known to hold SQL: {listed(fields.names)}",
            "say which: --sql-field F",
        )
    id_field = fields.named("--id-field", options.id_field) or fields.first(_ID_FIELDS, _is_id)
    db_field = fields.first(_DATABASE_FIELDS, _is_text)
    question_field = fields.first(_QUESTION_FIELDS, _is_text, but=(sql_field,))
    gold_field = fields.named("--gold-field", options.gold_field) or fields.first(
        _GOLD_FIELDS, _is_text, but=(sql_field,)
    )
    if options.sample_field is not None:
        fields.named("--sample-field", options.sample_field)

    def entry(index: int, record: str, value: Any) -> Entry:
        if not isinstance(value, dict):
            return Entry(record, index, value, problem="unsplittable")
        found = _field(value, sql_field)
        read = Entry(
            record,
            index,
            None if found is _ABSENT else found,
            problem="no_field" if found is _ABSENT else None,
            key=id_text(_field(value, id_field)) if id_field else None,
            db_id=_text(_field(value, db_field)) if db_field else None,
            question=_text(_field(value, question_field)) if question_field else None,
            gold=_text(_field(value, gold_field)) if gold_field else None,
            sample=_sample(value, options.sample_field, record, path),
        )
        return read if read.db_id is not None else _with_suffix(read)

    entries = [entry(index, record, value) for index, (record, value) in enumerate(records)]
    parts = [
        ("SQL", sql_field),
        ("id", id_field),
        ("database", db_field),
        ("question", question_field),
        ("gold", gold_field),
    ]
    what = {"csv": "CSV", "jsonl": "JSON lines"}.get(name, "a list of objects")
    note = f"format: {what}; fields: " + ", ".join(f"{role} {name!r}" for role, name in parts if name)
    source = f"field {id_field!r}" if id_field else None
    return PredictionFile(name, entries, source, gold_field=gold_field, notes=[note])


_ABSENT = object()


def _field(record: dict[str, Any], name: str) -> Any:
    """A field by name, or by a dotted path into nested objects."""
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def _text(value: Any) -> str | None:
    return storable(value) if isinstance(value, str) and value.strip() else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_id(value: Any) -> bool:
    return id_text(value) is not None


def _sample(record: dict[str, Any], name: str | None, where: str, path: Path) -> int:
    if name is None:
        return 1
    found = id_text(_field(record, name))
    if found is None or not found.isdigit():
        raise GlueError(
            f"--sample-field: {path}, {where}: {shown(_field(record, name))} is no sample number",
            "samples count from 1",
        )
    return int(found)


class _Fields:
    """The fields of records, and which of them play a role."""

    def __init__(self, objects: list[dict[str, Any]], path: Path) -> None:
        self.objects = objects
        self.path = path
        self.names = list(dict.fromkeys(name for record in objects for name in record))

    def named(self, option: str, name: str | None) -> str | None:
        """The field an option names; GlueError with the nearest one when no record has it."""
        if name is None or any(_field(record, name) is not _ABSENT for record in self.objects):
            return name
        close = nearest(name, self.names)
        hint = f"did you mean {close!r}?" if close else f"fields: {listed(self.names)}"
        raise GlueError(f"{option}: no entry of {self.path} has a field {name!r}", hint)

    def first(
        self, wanted: Iterable[str], fits: Callable[[Any], bool], but: Collection[str] = ()
    ) -> str | None:
        """The first of the wanted names that fits in at least half of the records."""
        by_plain_name: dict[str, str] = {}
        for name in self.names:
            if name not in but:
                by_plain_name.setdefault(plain_name(name), name)
        for plain in wanted:
            found = by_plain_name.get(plain)
            if found is None:
                continue
            if sum(fits(record.get(found)) for record in self.objects) * 2 >= len(self.objects):
                return found
        return None


# --- CSV ----------------------------------------------------------------------------------------------------


def _read_csv(text: str, path: Path, batch: ImportBatch, options: FileOptions) -> PredictionFile:
    delimiter = _delimiter(text, options.sql_field) or ("\t" if path.suffix.lower() == ".tsv" else ",")
    csv.field_size_limit(2**31 - 1)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error as error:
        raise GlueError(
            f"{_WHAT}: {path} is not CSV: {error}", "mend the file, or say --format lines"
        ) from error
    header = [name.strip() for name in rows[0]]
    records: list[tuple[str, Any]] = []
    for number, row in enumerate(rows[1:], 1):
        if len(row) > len(header):
            detail = f"{len(row)} cells under {len(header)} columns: {shown(row[len(header)])}"
            batch.refuse(
                path, f"row {number}", "stray_column", detail, "quote cells that hold commas", is_landed=True
            )
        records.append((f"row {number}", dict(zip(header, row, strict=False))))
    if not records:
        raise GlueError(
            f"{_WHAT}: {path} has a header and no rows", "give the file that holds the predictions"
        )
    return _read_records(records, "csv", path, options)


def _delimiter(text: str, sql_field: str | None) -> str | None:
    """The delimiter under which the first line is a header with a field that holds SQL, or None."""
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    if is_sql(first):
        return None
    for delimiter in (",", "\t", ";"):
        names = [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]
        if len(names) > 1 and (sql_field in names or any(plain_name(name) in SQL_FIELDS for name in names)):
            return delimiter
    return None


# --- Lines --------------------------------------------------------------------------------------------------


def _read_lines(
    content: bytes, name: str | None, db_ids: Collection[str], question_ids: Collection[str]
) -> PredictionFile:
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1].strip(b"\r"):
        lines.pop()
    entries = [_line(index, line.removesuffix(b"\r")) for index, line in enumerate(lines)]
    texts = [entry.value for entry in entries if entry.problem is None and entry.value.strip()]
    if name is None:
        name = "lines"
        if _are_most("\t" in text and text.rpartition("\t")[2].strip() in db_ids for text in texts):
            name = "database_lines"
        elif _are_most("\t" in text and text.partition("\t")[0].strip() in question_ids for text in texts):
            name = "id_lines"
    if name == "database_lines":
        entries = [_split_database(entry, db_ids) for entry in entries]
        return PredictionFile(
            name, entries, notes=["format: lines of SQL, tab, database, in the questions' order"]
        )
    if name == "id_lines":
        entries = [_split_id(entry) for entry in entries]
        return PredictionFile(
            name, entries, "the text before the tab", notes=["format: lines of id, tab, SQL"]
        )
    entries = [_with_suffix(entry) for entry in entries]
    return PredictionFile("lines", entries, notes=["format: one query a line, in the questions' order"])


def _line(index: int, line: bytes) -> Entry:
    try:
        return Entry(f"line {index + 1}", index, line.decode())
    except UnicodeDecodeError:
        return Entry(f"line {index + 1}", index, line.decode("utf-8", "backslashreplace"), problem="not_utf8")


def _are_most(flags: Iterable[bool]) -> bool:
    found = list(flags)
    return bool(found) and sum(found) * 2 >= len(found)


def _split_database(entry: Entry, db_ids: Collection[str]) -> Entry:
    if entry.problem is not None or not entry.value.strip():
        return entry
    sql, tab, db_id = entry.value.rpartition("\t")
    if not tab or (db_id.strip() not in db_ids and " " in db_id.strip()):
        return replace(entry, problem="unsplittable")
    return replace(entry, value=sql, raw=entry.value, steps=("database_suffix",), db_id=db_id.strip())


def _split_id(entry: Entry) -> Entry:
    if entry.problem is not None:
        return entry
    key, tab, sql = entry.value.partition("\t")
    if not tab:
        return replace(entry, problem="unsplittable")
    return replace(entry, value=sql, raw=entry.value, steps=("id_prefix",), key=key.strip())


def is_usable(entry: Entry) -> bool:
    """Is there a text to take SQL from?"""
    return entry.problem is None and isinstance(entry.value, str) and is_storable(entry.value)
