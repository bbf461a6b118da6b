"""PostgreSQL's results column by column: cells made from the server's text, with no values between.

That is for top-level values of types that fill results. In arrays and records, and of all other types, values
are loaded one by one, by the loaders that the connection knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Transformer

from glue.cells import (
    Cell,
    CellColumns,
    ReadyCell,
    cell,
    column_cells,
    plain_number_cell,
    timestamp_cell,
)
from glue.engines.base import Row

_Writer = Callable[[Sequence[str]], Sequence[Cell]]
"""Makes a column of cells of the server's texts, none of them NULL."""


class ColumnLoading:
    """How results with columns of some types are loaded: made once, used for every such result."""

    def __init__(self, connection: psycopg.Connection[Any], types: Sequence[int]) -> None:
        self._writers = [_COLUMNS.get(oid) for oid in types]
        self._transformer = Transformer(connection)
        told = [_TEXT if oid in _COLUMNS else oid for oid in types]
        self._transformer.set_loader_types(told, pq.Format.TEXT)

    def rows(self, found: pq.abc.PGresult) -> Sequence[Row]:
        """All rows of a result."""
        self._transformer.set_pgresult(found, set_loaders=False)
        rows = self._transformer.load_rows(0, found.ntuples, tuple)
        if not self._writers or not rows:
            return rows
        columns = zip(*rows, strict=True)
        return CellColumns(
            [
                column_cells(column) if write is None else _written(column, write)
                for write, column in zip(self._writers, columns, strict=True)
            ]
        )


def moment_in_zone(text: str) -> ReadyCell:
    """The cell of a timestamp as the server writes it in UTC: its zone is +00, an infinite one has none."""
    body, zone, era = text.partition("+00")
    return ReadyCell(f"{timestamp_cell(body + era)}{'Z' if zone else ''}")


def _written(
    values: Sequence[str | None], write: Callable[[Sequence[str]], Sequence[Cell]]
) -> Sequence[Cell]:
    if all(values) or None not in values:  # ten times as fast, where no text is empty
        return write(values)  # type: ignore[arg-type]
    present = [value for value in values if value is not None]
    if not present:
        return values
    following = iter(write(present)).__next__
    return [None if value is None else following() for value in values]


def _texts(texts: Sequence[str]) -> Sequence[Cell]:
    return ["t:" + text for text in texts]


def _wholes(texts: Sequence[str]) -> Sequence[Cell]:
    return ["n:" + text for text in texts]


def _flags(texts: Sequence[str]) -> Sequence[Cell]:
    return ["n:1" if text == "t" else "n:0" for text in texts]


def _dates(texts: Sequence[str]) -> Sequence[Cell]:
    return ["d:" + text for text in texts]


def _moments(texts: Sequence[str]) -> Sequence[Cell]:
    if "." in "".join(texts):
        return [timestamp_cell(text) for text in texts]
    return ["d:" + text.removesuffix(" 00:00:00") for text in texts]


def _moments_in_zone(texts: Sequence[str]) -> Sequence[Cell]:
    return list(map(moment_in_zone, texts))


def _numerics(texts: Sequence[str]) -> Sequence[Cell]:
    """Up to 15 digits, and not below 0.0001, a number's digits are its cell: see cells.plain_number_cell."""
    joined = "".join(texts)
    if max(map(len, texts)) > 16 or "N" in joined or "n" in joined or "0.0000" in joined or "-0" in joined:
        return [plain_number_cell(text) or cell(Decimal(text)) for text in texts]
    if "." not in joined:
        return ["n:" + text for text in texts]
    return [
        "n:" + (text.rstrip("0").rstrip(".") if text[-1] == "0" and "." in text else text) for text in texts
    ]


def _doubles(texts: Sequence[str]) -> Sequence[Cell]:
    """The server writes the shortest text that gives the double back, as Python does, but for exponents."""
    joined = f"{' '.join(texts)} "
    if "e" in joined or "N" in joined or "I" in joined or "-0 " in joined:
        return [cell(float(text)) for text in texts]
    return ["n:" + text for text in texts]


_TEXT = 25
_COLUMNS: dict[int, _Writer] = {
    16: _flags,
    20: _wholes,
    21: _wholes,
    23: _wholes,
    _TEXT: _texts,
    700: _doubles,
    701: _doubles,
    1043: _texts,
    1082: _dates,
    1114: _moments,
    1184: _moments_in_zone,
    1700: _numerics,
}
"""By the type's number in pg_type."""
