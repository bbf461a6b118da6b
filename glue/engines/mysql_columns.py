"""MySQL's and MariaDB's rows as they come over the wire, cut into values and made columns of cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from pymysql.constants import FIELD_TYPE, FLAG

from glue.cells import Cell, CellColumns, RawText, cell, column_cells, json_text, time_cell
from glue.engines.base import Row
from glue.engines.columns import (
    ColumnWriter,
    date_cells,
    moment_cells,
    numeric_cells,
    text_cells,
    whole_cells,
    written,
)

_BINARY = 63  # the character set of what is no text


def cut(packet: bytes) -> list[bytes | None]:
    """The values of a row: each its length, in one to nine bytes, and its text."""
    row: list[bytes | None] = []
    place, end = 0, len(packet)
    while place < end:
        size = packet[place]
        place += 1
        if size > 250:
            if size == 251:
                row.append(None)
                continue
            width = {252: 2, 253: 3, 254: 8}[size]
            size = int.from_bytes(packet[place : place + width], "little")
            place += width
        row.append(packet[place : place + size])
        place += size
    return row


def column_rows(rows: Sequence[Sequence[bytes | None]], writers: Sequence[ColumnWriter]) -> Sequence[Row]:
    """Rows of values as columns of cells."""
    if not rows:
        return []
    columns = zip(*rows, strict=True)
    return CellColumns([written(column, write) for column, write in zip(columns, writers, strict=True)])


def column_writer(field: Any) -> ColumnWriter:
    """How the values of a column are written, by its type as the server tells it."""
    if field.flags & FLAG.ZEROFILL and field.type_code in _ZEROFILLED:
        return _ZEROFILLED[field.type_code]
    found = _WRITERS.get(field.type_code)
    if found is None:
        found = column_cells if field.charsetnr == _BINARY else _of_texts(text_cells)
    return found


def _of_texts(write: ColumnWriter) -> ColumnWriter:
    """A writer of texts, for the bytes that they come as. Of those that are not UTF-8, see RawText."""

    def write_bytes(values: Sequence[bytes]) -> Sequence[Cell]:
        try:
            texts = list(map(bytes.decode, values))
        except UnicodeDecodeError:
            return column_cells([RawText(value) for value in values])
        return write(texts)

    return write_bytes


def _of_values(convert: Callable[[bytes], Any]) -> ColumnWriter:
    return lambda values: [cell(convert(value)) for value in values]


def _bits(value: bytes) -> int:
    return int.from_bytes(value, "big")


def _times(texts: Sequence[str]) -> Sequence[Cell]:
    """From -838:59:59 to 838:59:59."""
    return [time_cell(text) for text in texts]


def _documents(texts: Sequence[str]) -> Sequence[Cell]:
    return text_cells(list(map(json_text, texts)))


_WRITERS: dict[int, ColumnWriter] = {
    FIELD_TYPE.DECIMAL: _of_texts(numeric_cells),
    FIELD_TYPE.NEWDECIMAL: _of_texts(numeric_cells),
    FIELD_TYPE.TINY: _of_texts(whole_cells),
    FIELD_TYPE.SHORT: _of_texts(whole_cells),
    FIELD_TYPE.INT24: _of_texts(whole_cells),
    FIELD_TYPE.LONG: _of_texts(whole_cells),
    FIELD_TYPE.LONGLONG: _of_texts(whole_cells),
    FIELD_TYPE.YEAR: _of_values(int),
    FIELD_TYPE.FLOAT: _of_values(float),
    FIELD_TYPE.DOUBLE: _of_values(float),
    FIELD_TYPE.BIT: _of_values(_bits),
    # among moments 0000-00-00 and 2020-00-00, which Python has not
    FIELD_TYPE.DATE: _of_texts(date_cells),
    FIELD_TYPE.NEWDATE: _of_texts(date_cells),
    FIELD_TYPE.DATETIME: _of_texts(moment_cells),
    FIELD_TYPE.TIMESTAMP: _of_texts(moment_cells),
    FIELD_TYPE.TIME: _of_texts(_times),
    FIELD_TYPE.JSON: _of_texts(_documents),
}
_ZEROFILLED: dict[int, ColumnWriter] = {
    **dict.fromkeys(
        (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.INT24, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG),
        _of_values(int),
    ),
    **dict.fromkeys(
        (FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL), _of_values(lambda value: Decimal(value.decode()))
    ),
}
"""Numbers with leading zeros, which are no part of the value."""
