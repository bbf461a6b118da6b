"""Golds that are given as a result instead of SQL: CSV or JSON becomes a canonical result and lands as one.

A CSV says nothing about types: a column whose every value is a number holds numbers, an empty cell is NULL,
all else is text (digits with leading zeros are text: they are codes). JSON's values have types already. Where
that is not what the database returns, `types` says so per column: text, number, or date (ISO dates and
timestamps).
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from glue.cells import Cells, ResultDigest, cells_of_rows, rows_json
from glue.errors import GlueError, nearest
from glue.extraction import mask, top_level_semicolons
from glue.importers.common import decode, kind_of, listed, parse_json, shown, storable

TYPES = ("text", "number", "date")

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,399}|(?=\.\d))(?:\.\d*)?(?:[eE][+-]?\d{1,3})?")
_WHOLE = re.compile(r"[+-]?\d+")
_WHAT = "stored result"


@dataclass(frozen=True)
class StoredResult:
    """A result as canonical cells: the columns that count, the rows in the order given."""

    result_id: str
    column_names: list[str]
    rows: list[Cells]


def read_stored_result(
    path: Path,
    content: bytes,
    columns: Sequence[str | int] | None = None,
    types: dict[str, str] | None = None,
    is_untyped: bool = False,
) -> StoredResult:
    """The result in a .csv or .tsv file, else in JSON: rows, {"columns", "rows"} or {"column": [values]}.

    `columns`: names or 0-based positions of the columns that count, in this order; default: all.
    `is_untyped`: read the texts of a JSON as a CSV's. GlueError names file, row and column of what is wrong.
    """
    text = decode(content, path, _WHAT)
    if path.suffix.lower() in (".csv", ".tsv"):
        names, rows = _csv_table(text, path)
        return stored_result(names, rows, columns, types, is_untyped=True, where=str(path))
    names, rows = _json_table(parse_json(text, path, _WHAT), str(path))
    return stored_result(names, rows, columns, types, is_untyped, where=str(path))


def stored_result_of_rows(
    rows: Any,
    names: Sequence[str] | None = None,
    columns: Sequence[str | int] | None = None,
    types: dict[str, str] | None = None,
    is_untyped: bool = False,
    where: str = "rows",
) -> StoredResult:
    """The result in a JSON value, as in a JSON file; errors as `read_stored_result`."""
    found, values = _json_table(rows, where)
    if names is not None and values and len(names) != len(found):
        raise GlueError(f"{_WHAT}: {where}: {len(names)} names for {len(found)} columns", "name every column")
    return stored_result(names or found, values, columns, types, is_untyped, where=where)


def stored_result(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    columns: Sequence[str | int] | None,
    types: dict[str, str] | None,
    is_untyped: bool,
    where: str,
) -> StoredResult:
    """A result from a table of values; `is_untyped`: the values are texts, as in a CSV."""
    rows = [[storable(value) if isinstance(value, str) else value for value in row] for row in rows]
    kept = _kept(names, columns, where)
    kinds = _types_by_position(names, types or {}, where)
    typed = [
        _typed([row[index] for row in rows], kinds.get(index), is_untyped, names[index], where)
        for index in kept
    ]
    by_row = list(zip(*typed, strict=True)) if rows else []
    try:
        cells = cells_of_rows(by_row)
    except TypeError as error:
        raise GlueError(f"{_WHAT}: {where}: {error}", "give texts, numbers, true, false and null") from error
    digest = ResultDigest(len(kept))
    digest.add(rows_json(cells, "surrogatepass"))
    return StoredResult(digest.result_id(), [storable(names[index]) for index in kept], cells)


def stored_result_rows(result: StoredResult) -> Iterator[tuple[str, dict[str, Any]]]:
    """The landing rows of a stored result: its execution without a statement, the result and its rows."""
    n_rows, n_columns = len(result.rows), len(result.column_names)
    for number, cells in enumerate(result.rows, 1):
        yield "result_rows", {"result_id": result.result_id, "row_number": number, "cells": list(cells)}
    yield (
        "results",
        {
            "result_id": result.result_id,
            "n_rows": n_rows,
            "n_columns": n_columns,
            "n_stored_rows": n_rows,
            "is_cut": False,
        },
    )
    names = json.dumps(result.column_names)
    yield (
        "executions",
        {
            "execution_id": hashlib.md5(f"stored|{result.result_id}|{names}".encode()).hexdigest(),
            "engine": "stored",
            "variant": "stored",
            "outcome": "answered",
            "result_id": result.result_id,
            "n_rows": n_rows,
            "n_columns": n_columns,
            "column_names": result.column_names,
            "is_cut": False,
            "is_killed": False,
            "executed_at": datetime.now(UTC),
        },
    )


# --- Tables of values ---------------------------------------------------------------------------------------


def _csv_table(text: str, path: Path) -> tuple[list[str], list[list[Any]]]:
    csv.field_size_limit(2**31 - 1)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise GlueError(f"{_WHAT}: {path} is not CSV: {error}", "mend the file") from error
    if not rows:
        raise GlueError(
            f"{_WHAT}: {path} is empty", "it needs a header line, and no rows for an empty result"
        )
    header, *body = rows
    body = [row or [""] for row in body] if len(header) == 1 else [row for row in body if row]
    for number, row in enumerate(body, 2):
        if len(row) != len(header):
            raise GlueError(
                f"{_WHAT}: {path}, row {number}: {len(row)} cells under {len(header)} columns", "mend the row"
            )
    return header, [[cell if cell != "" else None for cell in row] for row in body]


def _json_table(value: Any, where: str) -> tuple[list[str], list[list[Any]]]:
    """Column names and rows of a JSON value."""
    if isinstance(value, dict) and isinstance(value.get("rows"), list):
        names, rows = _json_table(value["rows"], where)
        return [str(name) for name in value.get("columns") or names], rows
    if isinstance(value, dict) and value and all(isinstance(column, list) for column in value.values()):
        lengths = {len(column) for column in value.values()}
        if len(lengths) > 1:
            raise GlueError(
                f"{_WHAT}: {where}: its columns differ in length",
                "give every column the same number of values",
            )
        return list(value), [list(row) for row in zip(*value.values(), strict=True)]
    if not isinstance(value, list):
        raise GlueError(
            f"{_WHAT}: {where} is {kind_of(value)}, not a list of rows", "give rows as lists or objects"
        )
    if all(isinstance(row, dict) for row in value):
        names = list(dict.fromkeys(name for row in value for name in row))
        return names, [[row.get(name) for name in names] for row in value]
    width = len(value[0]) if isinstance(value[0], list) else 1
    rows = [row if isinstance(row, list) else [row] for row in value]
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise GlueError(
                f"{_WHAT}: {where}, row {number}: {len(row)} values, the first row has {width}",
                "mend the row",
            )
    return [f"column_{index}" for index in range(1, width + 1)], rows


def _kept(names: Sequence[str], columns: Sequence[str | int] | None, where: str) -> list[int]:
    """The positions of the columns that count."""
    if columns is None or not list(columns):
        return list(range(len(names)))
    return [_position(names, column, where) for column in columns]


def _position(names: Sequence[str], column: str | int, where: str) -> int:
    if isinstance(column, int) and not isinstance(column, bool):
        if 0 <= column < len(names):
            return column
        raise GlueError(
            f"{_WHAT}: {where} has no column {column}", f"positions run from 0 to {len(names) - 1}"
        )
    name = str(column)
    if name in names:
        return list(names).index(name)
    folded = [spelled.strip().lower() for spelled in names]
    if name.strip().lower() in folded:
        return folded.index(name.strip().lower())
    close = nearest(name, list(names))
    hint = f"did you mean {close!r}?" if close else f"columns: {listed(names)}"
    raise GlueError(f"{_WHAT}: {where} has no column {column!r}", hint)


def _types_by_position(names: Sequence[str], types: dict[str, str], where: str) -> dict[int, str]:
    for kind in types.values():
        if kind not in TYPES:
            raise GlueError(f"{_WHAT}: {where}: unknown type {kind!r}", f"types: {', '.join(TYPES)}")
    return {_position(names, column, where): kind for column, kind in types.items()}


def _typed(values: list[Any], kind: str | None, is_untyped: bool, name: str, where: str) -> list[Any]:
    """A column's values under its type, or under the one found when the values are texts."""
    if kind is None:
        return _found_numbers(values) if is_untyped else values
    converted = []
    for number, value in enumerate(values, 1):
        try:
            converted.append(None if value is None else _CONVERSIONS[kind](value))
        except ValueError as error:
            raise GlueError(
                f"{_WHAT}: {where}, row {number}, column {name!r}: {shown(value)} is no {kind}",
                "mend it, or its type",
            ) from error
    return converted


def _found_numbers(values: list[Any]) -> list[Any]:
    texts = [value for value in values if isinstance(value, str)]
    if not texts or not all(_NUMBER.fullmatch(text.strip()) for text in texts):
        return values
    return [_number(value) if isinstance(value, str) else value for value in values]


def _number(value: Any) -> int | float:
    if isinstance(value, int | float):
        return value
    text = str(value).strip()
    return int(text) if _WHOLE.fullmatch(text) else float(text)


def _date(value: Any) -> date:
    text = str(value).strip()
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"text": str, "number": _number, "date": _date}


# --- Defog's notation ---------------------------------------------------------------------------------------

_BRACES = re.compile(r"\{([^{}]*)\}")
_ALIAS = re.compile(r"\s+as\s+\S+\s*\Z", re.IGNORECASE)
_MOST_ALTERNATIVES = 256


def expand_gold_notation(text: str) -> list[str]:
    """A gold in Defog's notation as its alternatives.

    `;` separates them, of `{a, b}` any choice of columns will do, `{}` (after GROUP BY) means those chosen.
    GlueError when it stands for more than 256 statements.
    """
    alternatives = [sql for piece in _statements(text) for sql in _column_choices(piece)]
    return list(dict.fromkeys(alternatives))


def _statements(text: str) -> Iterator[str]:
    start = 0
    for end in [*top_level_semicolons(text), len(text)]:
        if text[start:end].strip():
            yield text[start:end].strip()
        start = end + 1


def _column_choices(sql: str) -> Iterator[str]:
    places = [(found.start(), found.end()) for found in _BRACES.finditer(mask(sql))]
    options = [_split_columns(sql[start + 1 : end - 1]) for start, end in places]
    n_alternatives = 1
    for columns in options:
        n_alternatives *= max(2 ** len(columns) - 1, 1)
    if n_alternatives > _MOST_ALTERNATIVES:
        raise GlueError(
            f"a gold stands for {n_alternatives} statements: {shown(sql)}",
            f"write out its alternatives; at most {_MOST_ALTERNATIVES} are expanded",
        )
    for choice in itertools.product(*map(_choices, options)):
        yield _filled(sql, places, choice)


def _choices(columns: list[str]) -> Iterable[tuple[str, ...]]:
    if not columns:
        return [()]
    return [chosen for size in range(1, len(columns) + 1) for chosen in itertools.combinations(columns, size)]


def _filled(sql: str, places: list[tuple[int, int]], choice: Sequence[tuple[str, ...]]) -> str:
    pieces: list[str] = []
    position = 0
    last: tuple[str, ...] = ()
    for (start, end), columns in zip(places, choice, strict=True):
        if columns:
            last = columns
            filling = ", ".join(columns)
        else:
            filling = ", ".join(_ALIAS.sub("", column) for column in last)
        pieces += [sql[position:start], filling]
        position = end
    return "".join([*pieces, sql[position:]])


def _split_columns(text: str) -> list[str]:
    """Expressions separated by commas outside brackets."""
    pieces, depth, start = [], 0, 0
    masked = mask(text)
    for index, character in enumerate(masked):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and not depth:
            pieces.append(text[start:index])
            start = index + 1
    return [piece.strip() for piece in (*pieces, text[start:]) if piece.strip()]
