"""M-Schema: a database's schema as text, one file or section per database (XiYan-SQL's format).

    【DB_ID】 name
    【Schema】
    # Table: name, comment
    [
    (column:TYPE, comment, Primary Key, Examples: [a, b, c]),
    ]
    【Foreign keys】
    table.column=table.column

Names may hold any character; comments, the key mark and examples may be missing; an example may span lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from glue.errors import GlueError, nearest
from glue.importers.common import ImportBatch, existing, read_text, shown
from glue.importers.meanings import add_meanings

SOURCE = "mschema"

_SECTION = re.compile(r"^【(?P<name>[^】]*)】[ \t]*(?P<rest>.*)$")
_TABLE = re.compile(r"^#\s*Table:\s*(?P<name>.*?)(?:,\s*(?P<comment>.*))?$")
_COLUMN = re.compile(
    r"^\((?P<name>.+?):(?P<type>[A-Za-z][\w ]*(?:\([\w\s,]*\))?(?: [A-Za-z ]+)?)?"
    r"(?P<rest>,\s.*)?\)$",
    re.DOTALL,
)
_EXAMPLES = re.compile(r",\s*Examples?:\s*\[(?P<values>.*)\]\s*$", re.DOTALL)
_PRIMARY_KEY = re.compile(r",\s*Primary Key\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class SchemaColumn:
    """One column line."""

    name: str
    data_type: str | None
    is_primary_key: bool
    comment: str | None
    examples: list[str]


@dataclass
class SchemaTable:
    """One table section."""

    name: str
    comment: str | None
    columns: list[SchemaColumn] = field(default_factory=list)


@dataclass
class Schema:
    """One database's section. `keys` are (table, column, referenced table, referenced column)."""

    db_id: str
    tables: list[SchemaTable] = field(default_factory=list)
    keys: list[tuple[str, str, str, str]] = field(default_factory=list)
    problems: list[tuple[int, str, str]] = field(default_factory=list)  # line, code, text


def read_mschema(
    name: str, path: Path, db_ids: Collection[str] | None = None, column_meaning: Path | None = None
) -> ImportBatch:
    """Read a folder of *.mschema files, or one file, into the catalog of benchmark `name`.

    `db_ids`: only these databases. `column_meaning`: a file of what columns mean. GlueError when there is no
    such path or it holds no M-Schema.
    """
    options = {"name": name, "db_ids": sorted(db_ids) if db_ids is not None else None}
    batch = ImportBatch("mschema", f"benchmark:{name}:mschema", name, options=options)
    existing(path, "M-Schema")
    files = [path] if path.is_file() else _files(path)
    found: list[str] = []
    for file in files:
        schemas = list(parse_mschema(read_text(file, batch, "M-Schema")))
        if not schemas:
            advice = "a database starts with 【DB_ID】 name"
            batch.refuse(file, "file", "not_mschema", "no 【DB_ID】 in it", advice)
        for schema in schemas:
            found.append(schema.db_id)
            if db_ids is None or schema.db_id in db_ids:
                _add_schema(batch, file, schema)
    if not found:
        raise GlueError(
            f"M-Schema: {path} holds no 【DB_ID】 section", "give a folder of .mschema files, or one file"
        )
    for db_id in sorted(set(db_ids or ()) - set(found)):
        close = nearest(db_id, found)
        advice = f"did you mean {close!r}?" if close else "check the name"
        batch.refuse(path, f"database {db_id}", "missing", f"no M-Schema of database {db_id}", advice)
    if column_meaning is not None:
        add_meanings(batch, column_meaning, [db_id for db_id in found if db_ids is None or db_id in db_ids])
    return batch


def _files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.iterdir() if path.suffix == ".mschema" and path.is_file())
    return files or sorted(
        path for path in folder.iterdir() if path.suffix in (".txt", ".md") and path.is_file()
    )


def parse_mschema(text: str) -> Iterator[Schema]:
    """The databases of a text. Lines that cannot be read are kept in a schema's `problems`."""
    schema: Schema | None = None
    section = ""
    for number, line in _logical_lines(text):
        found = _SECTION.match(line)
        if found is not None:
            section = found["name"].strip().lower()
            if section == "db_id":
                if schema is not None:
                    yield schema
                schema = Schema(found["rest"].strip())
        elif schema is not None and line.strip() not in ("", "[", "]"):
            _read_line(schema, section, number, line.strip())
    if schema is not None:
        yield schema


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; a column whose example spans lines is put together again."""
    held, held_number = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if held and (line.startswith(("(", "# Table:", "【")) or line.strip() == "]"):
            yield held_number, held  # it never ended: named as a problem
            held = ""
        if held:
            held += "\n" + line
        elif line.startswith("("):
            held, held_number = line, number
        else:
            yield number, line
        if held and held.rstrip().endswith((")", "),")):
            yield held_number, held
            held = ""
    if held:
        yield held_number, held


def _read_line(schema: Schema, section: str, number: int, line: str) -> None:
    if section.startswith("foreign"):
        key = _split_key(schema, line)
        if key is None:
            schema.problems.append((number, "unknown_column", line))
        else:
            schema.keys.append(key)
        return
    table = _TABLE.match(line)
    if table is not None:
        schema.tables.append(SchemaTable(table["name"].strip(), (table["comment"] or "").strip() or None))
        return
    column = _parse_column(line)
    if column is None or not schema.tables:
        schema.problems.append((number, "malformed", line))
    else:
        schema.tables[-1].columns.append(column)


def _parse_column(line: str) -> SchemaColumn | None:
    found = _COLUMN.match(line.rstrip().removesuffix(","))
    if found is None:
        return None
    rest, examples = found["rest"] or "", []
    listed = _EXAMPLES.search(rest)
    if listed is not None:
        rest, examples = rest[: listed.start()], split_examples(listed["values"])
    key = _PRIMARY_KEY.search(rest)
    if key is not None:
        rest = rest[: key.start()]
    elif rest.lower().startswith(", primary key,"):  # another writer's order
        key, rest = _PRIMARY_KEY.search(rest[:13]), rest[13:]
    comment = rest.removeprefix(",").strip() or None
    return SchemaColumn(
        found["name"], (found["type"] or "").strip() or None, key is not None, comment, examples
    )


def split_examples(values: str) -> list[str]:
    """'a, b, c' as its values; commas inside brackets or quotes do not split."""
    pieces, depth, start, quote = [], 0, 0, ""
    for index, character in enumerate(values):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"" and depth:
            quote = character
        elif character in "[({":
            depth += 1
        elif character in "])}":
            depth = max(depth - 1, 0)
        elif character == "," and not depth and values[index + 1 : index + 2] == " ":
            pieces.append(values[start:index])
            start = index + 2
    pieces.append(values[start:])
    return [piece for piece in pieces if piece]


def _split_key(schema: Schema, line: str) -> tuple[str, str, str, str] | None:
    """table.column=table.column, split where both sides are known: names may hold dots and equals signs."""
    places = {
        f"{table.name}.{column.name}": (table.name, column.name)
        for table in schema.tables
        for column in table.columns
    }
    folded = {place.lower(): names for place, names in places.items()}
    for index, character in enumerate(line):
        if character == "=":
            left, right = line[:index].strip().lower(), line[index + 1 :].strip().lower()
            if left in folded and right in folded:
                return (*folded[left], *folded[right])
    return None


def _add_schema(batch: ImportBatch, file: Path, schema: Schema) -> None:
    of_database = {"benchmark": batch.benchmark, "db_id": schema.db_id, "source": SOURCE}
    batch.add("databases", **of_database)
    for position, table in enumerate(schema.tables, 1):
        batch.add(
            "tables", **of_database, table_name=table.name, table_position=position, description=table.comment
        )
        for column_position, column in enumerate(table.columns, 1):
            batch.add(
                "columns",
                **of_database,
                table_name=table.name,
                column_name=column.name,
                column_position=column_position,
                data_type=column.data_type,
                description=column.comment,
                sample_values=column.examples,
                is_primary_key=column.is_primary_key,
            )
    for number, (table_name, column_name, referenced_table, referenced_column) in enumerate(schema.keys):
        batch.add(
            "foreign_keys",
            **of_database,
            key_name=f"{table_name}#{number}",
            key_position=1,
            table_name=table_name,
            column_name=column_name,
            referenced_table=referenced_table,
            referenced_column=referenced_column,
        )
    for line, reason, text in schema.problems:
        advice = "mend the line" if reason == "malformed" else "both sides must be columns of the file"
        batch.refuse(file, f"line {line}", reason, shown(text), advice)
