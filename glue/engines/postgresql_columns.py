"""PostgreSQL's results column by column: cells made from the server's text, with no values between.

That is for top-level values of types that fill results. In arrays and records, and of all other types, values
are loaded one by one, by the loaders that the connection knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Transformer

from glue.cells import Cell, CellColumns, ReadyCell, cell, column_cells, timestamp_cell
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
                column_cells(column) if write is None else written(column, write)
                for write, column in zip(self._writers, columns, strict=True)
            ]
        )


def moment_in_zone(text: str) -> ReadyCell:
    """The cell of a timestamp as the server writes it in UTC: its zone is +00, an infinite one has none."""
    body, zone, era = text.partition("+00")
    return ReadyCell(f"{timestamp_cell(body + era)}{'Z' if zone else ''}")


def _flags(texts: Sequence[str]) -> Sequence[Cell]:
    return ["n:1" if text == "t" else "n:0" for text in texts]


def _moments_in_zone(texts: Sequence[str]) -> Sequence[Cell]:
    return list(map(moment_in_zone, texts))


def _doubles(texts: Sequence[str]) -> Sequence[Cell]:
    """The server writes the shortest text that gives the double back, as Python does, but for exponents."""
    joined = f"{' '.join(texts)} "
    if "e" in joined or "N" in joined or "I" in joined or "-0 " in joined:
        return [cell(float(text)) for text in texts]
    return whole_cells(texts)


_TEXT = 25
_COLUMNS: dict[int, ColumnWriter] = {
    16: _flags,
    20: whole_cells,
    21: whole_cells,
    23: whole_cells,
    _TEXT: text_cells,
    700: _doubles,
    701: _doubles,
    1043: text_cells,
    1082: date_cells,
    1114: moment_cells,
    1184: _moments_in_zone,
    1700: numeric_cells,
}
"""By the type's number in pg_type."""
