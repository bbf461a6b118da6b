"""Canonical cells: one SQL value as one text, so that equal values are equal texts (DESIGN section 4).

| value | cell |
|---|---|
| NULL | None |
| whole number of any type (5, 5.0, TRUE, DECIMAL 5.00, -0.0) | `n:` and its exact integer text |
| other number | `n:` and the shortest text that gives the double back; `n:nan`, `n:inf`, `n:-inf` |
| DECIMAL that is not the shortest text of any double | `n:` and its plain text without trailing zeros |
| text | `t:` and the text |
| text that is not UTF-8 | `r:` and its bytes in hexadecimal |
| bytes | `b:` and the bytes in hexadecimal |
| date, timestamp | `d:2024-01-31`, `d:2024-01-31 10:00:00.5`; midnight is the date; with a zone: UTC, `Z` |
| time of day | `h:10:00:00.5` |
| interval | `i:<months>m<days>d<microseconds>us` |
| UUID | `t:` and its text |
| list, struct, map | `l:` and JSON of cells: a list, an object by field, a list of pairs |

A row is the JSON list of its cells as DuckDB's `to_json` writes it, a result the sequence of its rows;
digests and signatures are md5 over these texts, the same in Python and in SQL.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from hashlib import md5
from typing import Any
from uuid import UUID

Cell = str | None
Cells = tuple[Cell, ...]
"""One row: its cells in column order."""

_MICROSECONDS_PER_SECOND = 1_000_000


class RawText(bytes):
    """Text that an engine returned as bytes, because it may not be UTF-8."""


class ReadyCell(str):
    """A value already written as a canonical cell by its engine, where Python's type would lose something."""

    __slots__ = ()


class CellColumns(Sequence[tuple[Any, ...]]):
    """Rows whose cells an engine has written itself. `columns` has one or more, each with a cell per row.

    As a sequence of rows, its values are ReadyCells.
    """

    __slots__ = ("columns",)

    def __init__(self, columns: Sequence[Sequence[Cell]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return CellColumns([column[place] for column in self.columns])
        return tuple([None if each is None else ReadyCell(each) for each in (c[place] for c in self.columns)])


def cell(value: Any) -> Cell:
    """The canonical cell of one SQL value. TypeError for a Python type that no engine returns."""
    writer = _WRITERS.get(type(value))
    return writer(value) if writer else _subclass_cell(value)


def cells_of_rows(rows: Sequence[Sequence[Any]]) -> list[Cells]:
    """The cells of rows of one width, computed column by column. TypeError as `cell`."""
    if type(rows) is CellColumns:
        return list(zip(*rows.columns, strict=True))
    if rows and not rows[0]:  # PostgreSQL's SELECT FROM gives rows of no columns
        return [()] * len(rows)
    return list(zip(*map(column_cells, zip(*rows, strict=True)), strict=True))


def rows_json(rows: Sequence[Cells], errors: str = "strict") -> bytes:
    """The JSON texts of rows, joined by commas, as UTF-8: `[…],[…]`; nothing for no rows.

    `errors`: as of str.encode, for texts with halves of surrogate pairs.
    """
    has_nulls = False
    try:
        joined = '"],["'.join(['","'.join(row) for row in rows])  # type: ignore[arg-type]
    except TypeError:  # a NULL: no cell is a mere question mark, so it can stand for one
        has_nulls = True
        columns = [
            column if all(column) else [each or "?" for each in column] for column in zip(*rows, strict=True)
        ]
        joined = '"],["'.join(['","'.join(row) for row in zip(*columns, strict=True)])
    text = joined.encode("utf-8", errors)
    n_quotes = 2 * sum(map(len, rows)) - 2
    if len(text) - len(text.translate(None, _ESCAPED)) == n_quotes:  # no cell has any itself
        text = b'["%b"]' % text
        return text.replace(b'"?"', b"null") if has_nulls else text
    return _as_duckdb_escapes(_encode(rows)[1:-1]).encode("utf-8", errors)


def row_digest(row: Cells) -> str:
    """md5 of a row's JSON: DuckDB's `md5(to_json(cells))`."""
    return md5(_as_duckdb_escapes(_encode(row)).encode()).hexdigest()


def multiset_signature(n_copies: Mapping[str, int]) -> str:
    """md5 over 'digest:count,' of every distinct row, sorted by digest. `n_copies` counts rows by digest."""
    return md5("".join(f"{digest}:{n}," for digest, n in sorted(n_copies.items())).encode()).hexdigest()


def set_signature(digests: Iterable[str]) -> str:
    """The multiset signature of the distinct rows: every count is 1."""
    return multiset_signature(dict.fromkeys(digests, 1))


class ResultDigest:
    """The identity of a result, built while its rows arrive; how they were chunked makes no difference."""

    def __init__(self, n_columns: int) -> None:
        self._hash = md5(f"{n_columns}|".encode())
        self._is_empty = True

    def add(self, text: bytes) -> None:
        """Take in the `rows_json` of the next rows, as UTF-8. No rows change nothing."""
        if text:
            self._hash.update(text if self._is_empty else b"," + text)
            self._is_empty = False

    def result_id(self, cut_at: int | None = None) -> str:
        """md5 over the column count and every row in order; also how many are stored, where not all are."""
        if cut_at is None:
            return self._hash.hexdigest()
        whole = self._hash.copy()
        whole.update(f"|cut@{cut_at}".encode())
        return whole.hexdigest()


class RowCounter:
    """Counts rows by digest up to a number of distinct ones; beyond it, there are no signatures."""

    def __init__(self, max_distinct: int) -> None:
        self._max_distinct = max_distinct
        self._n_copies: Counter[str] | None = Counter()

    def add(self, rows: Iterable[Cells]) -> None:
        """Count the next rows."""
        if self._n_copies is None:
            return
        self._n_copies.update(map(row_digest, rows))
        if len(self._n_copies) > self._max_distinct:
            self._n_copies = None

    def signatures(self) -> tuple[str, str] | tuple[None, None]:
        """The multiset and the set signature over all rows counted; None when there were too many to hold."""
        if self._n_copies is None:
            return None, None
        return multiset_signature(self._n_copies), set_signature(self._n_copies)


# --- Values -------------------------------------------------------------------------------------------------


def _null(value: None) -> None:
    return None


def _whole(value: int) -> str:
    return f"n:{value:d}"


def _bool(value: bool) -> str:
    return "n:1" if value else "n:0"


def _double(value: float) -> str:
    text = repr(value)
    if text.endswith(".0"):
        return "n:0" if text == "-0.0" else f"n:{text[:-2]}"
    if "e" in text and value.is_integer():
        return f"n:{int(value)}"
    return f"n:{text}"  # repr writes nan, inf and -inf so


def _decimal(value: Decimal) -> str:
    return plain_number_cell(str(value)) or _any_decimal(value)


def plain_number_cell(text: str) -> str | None:
    """The cell of a decimal given as plain text; None where its digits do not tell, and a double is asked."""
    if not _PLAIN_NUMBER.fullmatch(text):
        return None
    return f"n:{_without_trailing_zeros(text)}"


_PLAIN_NUMBER = re.compile(
    r"0|-?[1-9]\d*|0\.0{1,3}|(?=.{3,16}\Z)(?:-?[1-9]\d*\.\d+|-?0\.(?!0000|0+\Z)\d+)", re.ASCII
)
"""Whole, or of at most 15 digits and no exponent: then the shortest text of a double too."""


def _any_decimal(value: Decimal) -> str:
    if not value.is_finite():
        return _double(float(value))
    plain = _without_trailing_zeros(f"{value:f}")
    if "." not in plain:
        return f"n:{'0' if plain == '-0' else plain}"
    shortest = repr(float(value))
    return f"n:{shortest if Decimal(shortest) == value else plain}"


def _text(value: str) -> str:
    return f"t:{value}"


def _bytes(value: bytes | bytearray | memoryview) -> str:
    return f"b:{value.hex()}"


def _raw_text(value: RawText) -> str:
    try:
        return f"t:{value.decode()}"
    except UnicodeDecodeError:
        return f"r:{value.hex()}"


def _date(value: date) -> str:
    return f"d:{value.isoformat()}"


def _timestamp(value: datetime) -> str:
    if value.tzinfo is None:
        return timestamp_cell(value.isoformat(" "))
    try:
        in_utc = value.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:  # within a day of the years 1 and 9999
        return timestamp_cell(value.isoformat(" "))
    return f"{timestamp_cell(in_utc.isoformat(' '))}Z"


def timestamp_cell(text: str) -> ReadyCell:
    """The cell of a date or timestamp given as text without zone: '2024-01-31 10:00:00.500', '… BC'."""
    moment = text.removesuffix(" BC")
    era = text[len(moment) :]
    return ReadyCell(f"d:{_without_trailing_zeros(moment).removesuffix(' 00:00:00')}{era}")


def _time_of_day(value: time) -> str:
    if value.tzinfo is None:
        return time_cell(value.isoformat())
    offset = value.isoformat()[len(value.replace(tzinfo=None).isoformat()) :]
    return f"{time_cell(value.replace(tzinfo=None).isoformat())}{offset}"


def time_cell(text: str) -> ReadyCell:
    """The cell of a time of day given as ISO text without zone: '10:00:00.500'."""
    return ReadyCell(f"h:{_without_trailing_zeros(text)}")


def _without_trailing_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def interval_cell(months: int, days: int, microseconds: int) -> ReadyCell:
    """The cell of an interval, whose three parts do not convert into one another."""
    return ReadyCell(f"i:{months}m{days}d{microseconds}us")


def json_text(text: str) -> str:
    """A JSON document as PostgreSQL's jsonb and MySQL's JSON write it, so that equal ones are equal texts.

    Keys come once, the last one's value with them, the shorter first and then by bytes; numbers stay as they
    are written. A text that is no JSON stays as it is.
    """
    try:
        document = json.loads(text, parse_float=_Verbatim, parse_int=_Verbatim, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return text
    return _json_text(document)


class _Verbatim(str):
    """A number of a JSON document, as it is written."""

    __slots__ = ()


def _no_json(name: str) -> None:
    raise ValueError(name)


def _json_text(value: Any) -> str:
    if isinstance(value, _Verbatim):
        return str(value)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
        return f"{{{', '.join(f'{_encode(key)}: {_json_text(value[key])}' for key in keys)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_json_text, value))}]"
    return _encode(value)


def _duration(value: timedelta) -> str:
    return interval_cell(0, value.days, value.seconds * _MICROSECONDS_PER_SECOND + value.microseconds)


def _uuid(value: UUID) -> str:
    return f"t:{value}"


def _nested(value: Any) -> str:
    return f"l:{_as_duckdb_escapes(_encode(_tree(value)))}"


def _tree(value: Any) -> Any:
    """A nested value with cells for leaves: lists, objects by field name, maps as lists of pairs."""
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _tree(item) for key, item in value.items()}
        return [[_tree(key), _tree(item)] for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [_tree(item) for item in value]
    return cell(value)


_WRITERS: dict[type, Callable[[Any], Cell]] = {
    type(None): _null,
    bool: _bool,
    int: _whole,
    float: _double,
    Decimal: _decimal,
    str: _text,
    ReadyCell: str,
    RawText: _raw_text,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    datetime: _timestamp,
    date: _date,
    time: _time_of_day,
    timedelta: _duration,
    UUID: _uuid,
    list: _nested,
    tuple: _nested,
    dict: _nested,
}


def _subclass_cell(value: Any) -> Cell:
    for kind, writer in _WRITERS.items():
        if isinstance(value, kind):
            return writer(value)
    raise TypeError(f"no canonical cell for a value of type {type(value).__qualname__}")


# --- Rows ---------------------------------------------------------------------------------------------------


def column_cells(values: Sequence[Any]) -> list[Cell]:
    """The cells of one column: without a call per value where all are text or whole numbers."""
    kinds = set(map(type, values))
    if len(kinds) == 1:
        (kind,) = kinds
        if kind is str:
            return ["t:" + value for value in values]
        if kind is int:
            return [f"n:{value}" for value in values]
        if kind is ReadyCell:
            return list(values)
        if kind in _WRITERS:
            return list(map(_WRITERS[kind], values))
    elif len(kinds) == 2 and type(None) in kinds:
        present = column_cells([value for value in values if value is not None])
        following = iter(present).__next__
        return [None if value is None else following() for value in values]
    return list(map(cell, values))


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ESCAPED = bytes(range(32)) + b'"\\'
"""What JSON writes otherwise."""
_ESCAPE = re.compile(r"\\(?:u00[0-9a-f]{2}|.)")


def _as_duckdb_escapes(text: str) -> str:
    r"""JSON with control characters escaped as DuckDB does: `\u001F`, where Python has `\u001f`."""
    if "\\u00" not in text:
        return text
    return _ESCAPE.sub(lambda found: _upper_hexadecimal(found[0]), text)


def _upper_hexadecimal(escape: str) -> str:
    return "\\u" + escape[2:].upper() if escape.startswith("\\u") else escape
