"""Files of flat records: JSON lines, a JSON list, CSV or TSV, with column names as found in the wild."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glue.errors import GlueError
from glue.importers.common import ImportBatch, Row, kind_of, listed, parse_json, read_text, shown

_LARGEST_CELL = 1 << 30
_END = "\x01 the end \x01"
"""A last line of its own, unless a quote before it is never closed."""


@dataclass(frozen=True)
class Record:
    """One record: where it stands in the file, its 0-based place, its values by folded column name."""

    place: str  # 'line 12', 'row 4'
    position: int
    values: Row

    def first(self, names: tuple[str, ...]) -> Any:
        """The value of the first of these columns that is not empty; None where all are."""
        return next((value for name in names if not is_empty(value := self.values.get(name))), None)


def is_empty(value: Any) -> bool:
    """No value: null, or a text of nothing but white space."""
    return value is None or (isinstance(value, str) and not value.strip())


def read_records(
    path: Path, batch: ImportBatch, what: str, columns: Mapping[str, tuple[str, ...]], required: str
) -> list[Record]:
    """The records of a file; what is none is refused by its place. `columns`: the known names of each field.

    GlueError where the file cannot be read or holds no record, or none has a column of the `required` field.
    """
    text = read_text(path, batch, what)
    records = list(_records(text, path, batch, what))
    if not records:
        raise GlueError(
            f"{what}: {path} holds no record{told_first(batch)}",
            "give JSON lines (an object a line), a JSON list of objects, or CSV or TSV with a header",
        )
    found = dict.fromkeys(name for record in records for name in record.values)
    if not any(name in found for name in columns[required]):
        raise GlueError(
            f"{what}: {path} has no column {required!r}: it has the columns {listed(found)}",
            f"columns that are read as {required}: {', '.join(columns[required])}",
        )
    known = {name for names in columns.values() for name in names}
    unread = [name for name in found if name not in known]
    if unread:
        batch.notes.append(f"columns that are not read: {listed(unread)}")
    return records


def told_first(batch: ImportBatch) -> str:
    """What was wrong first, to end a message that nothing can land; empty where nothing was refused."""
    if not batch.refusals:
        return ""
    first = batch.refusals[0]
    return f"; {first.record}{f', {first.field}' if first.field else ''}: {first.detail}"


def _records(text: str, path: Path, batch: ImportBatch, what: str) -> Iterator[Record]:
    opening = text.lstrip()[:1]
    if opening == "[":
        content = parse_json(text, path, what)
        for position, value in enumerate(content):
            yield from _record(f"entry {position + 1}", position, value, path, batch)
    elif opening == "{":
        position = 0
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield from _record(
                    f"line {number}", position, _parsed(line, number, path, batch), path, batch
                )
                position += 1
    else:
        yield from _rows(text, path, batch, what)


def _record(place: str, position: int, value: Any, path: Path, batch: ImportBatch) -> Iterator[Record]:
    if isinstance(value, dict):
        yield Record(place, position, _by_column(value.items()))
    elif value is not _REFUSED:
        detail = f"{kind_of(value)}: {shown(value)}"
        batch.refuse(path, place, "not_an_object", detail, "make it an object or remove it")


_REFUSED = object()


def _parsed(line: str, number: int, path: Path, batch: ImportBatch) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        detail = f"column {error.colno}: {error.msg}"
    except RecursionError:
        detail = "nested too deep to be read"
    except ValueError as error:  # a number of over 4,300 digits
        detail = str(error)
    batch.refuse(path, f"line {number}", "not_json", detail, "mend the line")
    return _REFUSED


def _rows(text: str, path: Path, batch: ImportBatch, what: str) -> Iterator[Record]:
    header_line = text.split("\n", 1)[0]
    delimiter = max((",", "\t", ";"), key=header_line.count)
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(io.StringIO(f"{text}\n{_END}", newline=""), delimiter=delimiter)
    place = "the header"
    try:
        header = next(reader, [])
        for position, cells in enumerate(row for row in reader if any(cell.strip() for cell in row)):
            if cells == [_END]:
                return
            place = f"row {position + 1}"
            if cells[-1].endswith(_END):
                break
            if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
                detail = f"{len(cells)} cells under {len(header)} columns"
                batch.refuse(path, place, "stray_cells", detail, "quote cells that hold a separator")
                continue
            yield Record(place, position, _by_column(zip(header, cells, strict=False)))
    except csv.Error as error:
        raise GlueError(
            f"{what}: {path} is not CSV: line {reader.line_num}: {error}", "mend it there"
        ) from error
    raise GlueError(
        f"{what}: {path}, {place}: a quote that is opened there is never closed",
        "close it; a quote that belongs to the text is doubled, within quotes",
    )


def _by_column(named: Iterable[tuple[str, Any]]) -> Row:
    """Values by folded name; of several under one name the first that is not empty."""
    found: Row = {}
    for name, value in named:
        folded = _folded(name)
        if is_empty(found.get(folded)):
            found[folded] = value
    return found


def _folded(name: str) -> str:
    """A column's name for comparison: in lower case, words joined by an underscore."""
    return "_".join(name.strip().lower().replace("-", " ").replace("_", " ").split())
