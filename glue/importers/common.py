"""What every importer shares: the batch it gives, reading files with errors that point, and landing a batch.

An importer is a function that reads files and gives an `ImportBatch`: rows per landing table and what was
refused or repaired. It raises GlueError only when nothing sensible can land. `land` gives the batch its
import_id, lands it once, and never replaces another import of the same scope without being told to.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glue.errors import GlueError, nearest
from glue.home import Home
from glue.landing_tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
OnProgress = Callable[[int, int, str], None]
"""Called with (done, total, what): `what` names the thing in work, e.g. a database."""

IMPORTER_VERSION = 1
"""Raise it when an importer reads a file into other rows than before: then importing it again is no no-op."""

_NAMED_BY = {"bird_history": "--benchmark", "reviews": None}
"""The option that names what an import brings, where it is not --name."""

DIALECTS = (
    "athena",
    "bigquery",
    "clickhouse",
    "databricks",
    "db2",
    "doris",
    "drill",
    "dremio",
    "duckdb",
    "exasol",
    "hive",
    "h2",
    "mysql",
    "oracle",
    "postgres",
    "presto",
    "redshift",
    "risingwave",
    "singlestore",
    "snowflake",
    "spark",
    "sqlite",
    "starrocks",
    "teradata",
    "trino",
    "tsql",
)
_DIALECT_ALIASES = {
    "postgresql": "postgres",
    "pg": "postgres",
    "sqlite3": "sqlite",
    "mariadb": "mysql",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "sql server": "tsql",
    "t-sql": "tsql",
    "plsql": "oracle",
    "maxcompute": "hive",
    "odps": "hive",
}


@dataclass(frozen=True)
class Refusal:
    """One entry of a file that was left out, or that landed with a remark (`is_landed`)."""

    file: str
    record: str  # 'line 12', 'key "37"', 'row 4'
    reason: str  # a code: missing, extra, unsplittable, not_text, …
    detail: str
    advice: str
    field: str | None = None
    question_id: str | None = None
    is_landed: bool = False


@dataclass
class ImportBatch:
    """What an importer read: rows per landing table without import_id, and what was refused.

    `files` maps each file read, as given, to its sha256. `options` are what decides how the same files are
    read; they enter the import's identity. `notes` say what was chosen, for people.
    """

    kind: str  # bird, spider, beaver, mschema, jsonl, defog, database, predictions
    scope: str  # what a newer import of the same scope replaces
    benchmark: str
    files: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_partial: bool | None = None
    prediction_set: str | None = None
    title: str | None = None  # what it is, for people, where neither prediction set nor benchmark says so

    def __post_init__(self) -> None:
        for name in (self.benchmark, self.prediction_set):
            if name is not None:
                check_name(name, _NAMED_BY.get(self.kind) or "--name")

    def add(self, table: str, **row: Any) -> None:
        """Add one row of a landing table."""
        self.rows.setdefault(table, []).append(row)

    def refuse(
        self, file: Path | str, record: str, reason: str, detail: str, advice: str, **more: Any
    ) -> None:
        """Note what was left out, or with is_landed=True what landed with a remark."""
        self.refusals.append(Refusal(str(file), record, reason, detail, advice, **more))


@dataclass(frozen=True)
class RefusalGroup:
    """The refusals of one reason: how many, the first few, and what to do."""

    reason: str
    field: str | None
    is_landed: bool
    n: int
    examples: list[Refusal]
    advice: str


@dataclass(frozen=True)
class ImportReport:
    """How an import ended. `is_new` is false when exactly this import was the newest of its scope already."""

    import_id: str
    kind: str
    scope: str
    benchmark: str
    prediction_set: str | None
    is_new: bool
    counts: dict[str, int]  # rows per landing table
    refusals: list[Refusal]
    notes: list[str]
    title: str | None = None

    @property
    def n_refused(self) -> int:
        """Entries that were left out; those that landed with a remark do not count."""
        return sum(not refusal.is_landed for refusal in self.refusals)

    def groups(self, n_examples: int = 3) -> list[RefusalGroup]:
        """The refusals by reason and field: left out before remarks, the most frequent first."""
        found: dict[tuple[bool, str, str | None], list[Refusal]] = {}
        for refusal in self.refusals:
            found.setdefault((refusal.is_landed, refusal.reason, refusal.field), []).append(refusal)
        ordered = sorted(found.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1]))
        return [
            RefusalGroup(reason, name, is_landed, len(members), members[:n_examples], members[0].advice)
            for (is_landed, reason, name), members in ordered
        ]


# --- Landing ------------------------------------------------------------------------------------------------


def land(home: Home, batch: ImportBatch, replace: bool = False, command: str = "") -> ImportReport:
    """Land a batch; its row in `imports` comes last, so that a half-done import does not count.

    Landing what is the newest import of its scope again does nothing. GlueError when another import of the
    same scope stands and `replace` is false, or when another import is under way.
    """
    from glue.landing import Writer

    drop_repeated_rows(batch)
    import_id = import_id_of(batch)
    counts = {table: len(rows) for table, rows in batch.rows.items() if rows}
    report = ImportReport(
        import_id=import_id,
        kind=batch.kind,
        scope=batch.scope,
        benchmark=batch.benchmark,
        prediction_set=batch.prediction_set,
        is_new=True,
        counts=counts,
        refusals=batch.refusals,
        notes=batch.notes,
        title=batch.title,
    )
    with Writer(home, loop="import", command=command) as writer:
        newest = newest_imports(home)
        if batch.rows.get("questions") and f"history:{batch.benchmark}" in newest:
            raise GlueError(
                f"{batch.benchmark!r} is the name of a query log, and a history has one name",
                "give the benchmark another name",
            )
        standing = newest.get(_replaced_scope(vars(batch)))
        if standing is not None and standing["import_id"] == import_id:
            return ImportReport(**{**vars(report), "is_new": False})
        if standing is not None and not replace:
            raise _would_replace(batch, standing)
        for table, rows in batch.rows.items():
            is_of_import = "import_id" in TABLES[table].schema.names
            writer.append(table, [{**row, "import_id": import_id} for row in rows] if is_of_import else rows)
        writer.append("import_refusals", [_refusal_row(import_id, refusal) for refusal in batch.refusals])
        writer.append("imports", [_import_row(import_id, batch, report)])
        writer.sync(now=True)
    return report


def import_id_of(batch: ImportBatch) -> str:
    """md5 of what was read and how: kind, scope, options, every file's sha256, the importers' version."""
    parts = [batch.kind, batch.scope, _options_text(batch), sorted(batch.files.values()), IMPORTER_VERSION]
    return hashlib.md5(json.dumps(parts).encode()).hexdigest()


def newest_imports(home: Home) -> dict[str, Row]:
    """The import that counts, by scope: its import_id, kind, benchmark, prediction_set and imported_at."""
    columns = ["import_id", "kind", "scope", "benchmark", "prediction_set", "imported_at", "landed_at"]
    newest: dict[str, Row] = {}
    for row in landed_rows(home, "imports", columns):
        scope = _replaced_scope(row)
        standing = newest.get(scope)
        if standing is None or _moment_of(row) > _moment_of(standing):
            newest[scope] = row
    return newest


def _replaced_scope(row: Row) -> str:
    """What an import replaces, as model stg_imports has it: a set of predictions one of its own benchmark."""
    return f"{row['scope']} on {row['benchmark']}" if row["kind"] == "predictions" else str(row["scope"])


def landed_rows(home: Home, table: str, columns: list[str]) -> list[Row]:
    """Some columns of what has landed in a table, rows that landed twice maybe twice."""
    from glue.landing import landed_keys

    landed: pa.Table = landed_keys(home, table, columns=columns)
    return landed.to_pylist()


def drop_repeated_rows(batch: ImportBatch) -> None:
    """Keep the first row of each key; a later one that says something else is noted as refused."""
    for table, rows in batch.rows.items():
        key = [name for name in TABLES[table].key if name != "import_id"]
        first: dict[tuple[Any, ...], Row] = {}
        for row in rows:
            place = tuple(row.get(name) for name in key)
            if place not in first:
                first[place] = row
            elif row != first[place] and table not in ("foreign_keys", "executions"):
                shown = ", ".join(f"{name} {value}" for name, value in zip(key, place, strict=True))
                batch.refuse(
                    table,
                    shown,
                    "duplicate",
                    f"described more than once: {shown}",
                    "the first description counts; remove the others",
                    question_id=row.get("question_id"),
                )
        batch.rows[table] = list(first.values())


def _moment_of(row: Row) -> tuple[datetime, datetime]:
    return row["imported_at"], row["landed_at"]


def _options_text(batch: ImportBatch) -> str:
    return json.dumps(batch.options, sort_keys=True, ensure_ascii=False, default=str)


def _would_replace(batch: ImportBatch, standing: Row) -> GlueError:
    named = f"prediction set {batch.prediction_set!r}" if batch.prediction_set else f"{batch.benchmark!r}"
    what = batch.title or named
    option = _NAMED_BY.get(batch.kind, "--name")
    return GlueError(
        f"{what} has been imported already, on {standing['imported_at']:%Y-%m-%d %H:%M} UTC, from other "
        "files or with other options",
        "--replace lets the new import count in its stead (nothing is deleted)"
        + (f"; or choose another {option}" if option else ""),
    )


def _refusal_row(import_id: str, refusal: Refusal) -> Row:
    return {"import_id": import_id, **vars(refusal)}


def _import_row(import_id: str, batch: ImportBatch, report: ImportReport) -> Row:
    return {
        "import_id": import_id,
        "kind": batch.kind,
        "scope": batch.scope,
        "benchmark": batch.benchmark,
        "prediction_set": batch.prediction_set,
        "files": list(batch.files),
        "file_sha256": list(batch.files.values()),
        "options": _options_text(batch),
        "is_partial": batch.is_partial,
        "n_rows": sum(report.counts.values()),
        "n_refused": report.n_refused,
        "imported_at": datetime.now(UTC),
    }


# --- Reading files ------------------------------------------------------------------------------------------


class JsonObject(dict[str, Any]):
    """A JSON object that remembers which of its keys came more than once (the last value stands)."""

    repeated: tuple[str, ...] = ()


def existing(path: Path, what: str) -> Path:
    """The path, when it exists; GlueError names what it was for and the nearest name that does exist."""
    if path.exists():
        return path
    folder = path.parent
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    close = nearest(path.relative_to(folder).parts[0] if folder in path.parents else path.name, names)
    if close:
        hint = f"did you mean {folder / close}?"
    else:
        hint = f"{folder} holds: {', '.join(names[:8]) or 'nothing'}{' …' if len(names) > 8 else ''}"
    raise GlueError(f"{what}: there is no {path}", hint)


def read_bytes(path: Path, batch: ImportBatch, what: str) -> bytes:
    """A file's bytes; its sha256 is noted in the batch. GlueError when it is not there or cannot be read."""
    existing(path, what)
    if path.is_dir():
        raise GlueError(f"{what}: {path} is a folder", "name a file in it")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GlueError(
            f"{what}: {path} cannot be read: {error.strerror}", "check its permissions"
        ) from error
    batch.files[str(path)] = hashlib.sha256(content).hexdigest()
    if content.startswith(b"version https://git-lfs"):
        raise GlueError(
            f"{what}: {path} is a Git LFS pointer, not the file itself", "fetch it with `git lfs pull`"
        )
    return content


def read_text(path: Path, batch: ImportBatch, what: str) -> str:
    """A UTF-8 file's text without its byte order mark. GlueError names the line of the first other byte."""
    return decode(read_bytes(path, batch, what), path, what)


def decode(content: bytes, path: Path, what: str) -> str:
    """UTF-8 (or UTF-16 with a byte order mark) as text; GlueError names the line of a byte that is not."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError:
            pass
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise GlueError(
            f"{what}: {path}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8",
            "save the file as UTF-8 (e.g. iconv -f cp1252 -t utf-8)",
        ) from error


def parse_json(text: str, path: Path, what: str) -> Any:
    """A JSON text as Python values, objects as JsonObject. GlueError names line and column of a mistake."""
    try:
        return json.loads(text, object_pairs_hook=_json_object)
    except json.JSONDecodeError as error:
        raise GlueError(
            f"{what}: {path} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}",
            "mend the file there" + ("; it looks cut off" if error.pos >= len(text.rstrip()) else ""),
        ) from error
    except RecursionError as error:
        raise GlueError(f"{what}: {path} is nested too deep to be read", "is this the right file?") from error
    except ValueError as error:  # a number of over 4,300 digits
        raise GlueError(f"{what}: {path} cannot be read: {error}", "is this the right file?") from error


def read_json(path: Path, batch: ImportBatch, what: str) -> Any:
    """A JSON file's content; errors as `read_text` and `parse_json`."""
    return parse_json(read_text(path, batch, what), path, what)


def _json_object(pairs: list[tuple[str, Any]]) -> JsonObject:
    value = JsonObject(pairs)
    if len(value) < len(pairs):
        value.repeated = tuple(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
    return value


def sha256_of(path: Path) -> str:
    """The sha256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- Values -------------------------------------------------------------------------------------------------


def is_storable(text: str) -> bool:
    """Can this text be stored as UTF-8? JSON's \\ud800 and the like, half of a surrogate pair, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable(text: str) -> str:
    """The text with what UTF-8 cannot hold written as an escape: \\ud800."""
    return text if is_storable(text) else text.encode("utf-8", "backslashreplace").decode()


def text_or_none(value: Any) -> str | None:
    """A non-blank text, else None."""
    return storable(value) if isinstance(value, str) and value.strip() else None


def squeezed(text: str) -> str:
    """For comparing texts of files: white space as one space, none around, no closing semicolon."""
    return " ".join(text.split()).rstrip("; ")


def id_text(value: Any) -> str | None:
    """A question's id as text: a non-blank text or a whole number; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    return storable(value.strip()) if isinstance(value, str) and value.strip() else None


def check_name(name: str, option: str = "--name") -> None:
    """GlueError for what nobody could name again: nothing but white space, or no UTF-8."""
    if not name.strip():
        raise GlueError(f"{option}: {name!r} is no name", f"give a name: {option} NAME")
    if not is_storable(name):
        raise GlueError(f"{option}: {name!r} is not UTF-8", f"give another name: {option} NAME")


def known_dialect(name: str) -> str:
    """A dialect under sqlglot's name. GlueError with the nearest one when it is unknown."""
    plain = name.strip().lower()
    plain = _DIALECT_ALIASES.get(plain, plain)
    if plain in DIALECTS:
        return plain
    close = nearest(plain, [*DIALECTS, *_DIALECT_ALIASES])
    hint = f"did you mean {close!r}?" if close else f"dialects: {', '.join(DIALECTS)}"
    raise GlueError(f"unknown SQL dialect {name!r}", hint)


def kind_of(value: Any) -> str:
    """What a JSON value is, for people."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return (
        "a list"
        if isinstance(value, list)
        else "an object"
        if isinstance(value, Mapping)
        else "something else"
    )


def shown(value: Any, n_characters: int = 80) -> str:
    """A value in one short line, for messages."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = storable(" ".join(text.split()))
    return line if len(line) <= n_characters else line[: n_characters - 1] + "…"


def listed(names: Iterable[str], n: int = 8) -> str:
    """The first names, for messages."""
    found = list(names)
    return ", ".join(found[:n]) + (f" … ({len(found)} in all)" if len(found) > n else "")
