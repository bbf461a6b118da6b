"""Results as a worker takes them in: rows fetched and kept in pieces, counted and signed past a cap."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa

from glue.cells import Cells, ResultDigest, RowCounter, cells_of_rows, rows_json
from glue.engines.base import MAX_VALUE_BYTES, NotText, Row, Session
from glue.engines.values import check_sizes
from glue.landing_tables import TEXT, TEXTS
from glue.worker_limits import Watch
from glue.worker_tasks import Settings

_FIRST_FETCH_ROWS = 16
_MAX_FETCH_ROWS = 1_024
_FETCH_BYTES = 1 << 20
_ARROW_FROM_BYTES = 256 << 10

_MAX_DISTINCT_DIGESTS = 1_000_000


@dataclass
class Piece:
    """Rows of a result that are to be stored: as they came, or as Arrow where they are many."""

    rows: list[Cells]
    array: pa.Array | None
    n_rows: int

    def cells(self) -> list[Cells]:
        """The rows as they came."""
        return self.rows if self.array is None else [tuple(row) for row in self.array.to_pylist()]


class Result:
    """A result in the making. Rows beyond a cap are not kept, but enter its identity and its signatures.

    `must_sign`: it is to have signatures also where it is not cut.
    """

    def __init__(self, column_names: list[str], settings: Settings, must_sign: bool = False) -> None:
        self.column_names = column_names
        self.n_rows = 0
        self.n_stored_rows = 0
        self.n_stored_bytes = 0
        self.pieces: list[Piece] = []
        self.is_cut = False  # were there rows past a cap?
        self.is_kept = True
        self._settings = settings
        self._digest = ResultDigest(len(column_names))
        self._counter = RowCounter(_MAX_DISTINCT_DIGESTS) if must_sign else None

    def add(self, rows: Sequence[Row]) -> None:
        """Take in the next rows. Raises TooLarge where a value is too large for any engine."""
        cells = cells_of_rows(rows)
        text = rows_json(cells)
        if len(text) > MAX_VALUE_BYTES:
            check_sizes(rows, MAX_VALUE_BYTES)
        self._digest.add(text)
        self.n_rows += len(cells)
        n_bytes = len(text) - (len(cells) - 1)
        if not self.is_cut and self._has_room(len(cells), n_bytes):
            self._store(cells, n_bytes)
        elif not self.is_cut:
            self.is_cut = True
            self._counter = self._counter or self._counted()
            self._store_what_fits(cells)
        if self._counter is not None:
            self._counter.add(cells)

    def leave_out_rows(self) -> None:
        """Keep no row, signatures alone. A result without rows is kept whole nevertheless."""
        if self.n_rows:
            self.is_kept = False
            self.pieces = []

    def next_fetch_rows(self, n_fetched: int) -> int:
        """How many rows to ask for after `n_fetched`: more each time, while they stay around a megabyte."""
        if not n_fetched:
            return _FIRST_FETCH_ROWS
        if self.is_cut:
            return n_fetched
        mean_bytes = max(self.n_stored_bytes // max(self.n_stored_rows, 1), 1)
        return max(1, min(n_fetched * 8, _MAX_FETCH_ROWS, _FETCH_BYTES // mean_bytes))

    def result_id(self) -> str:
        """See cells.ResultDigest."""
        return self._digest.result_id(self.n_stored_rows if self.is_cut else None)

    def signatures(self) -> tuple[str, str] | tuple[None, None]:
        """The multiset and set signature over all its rows, of a result that is cut or had to be signed."""
        return (None, None) if self._counter is None else self._counter.signatures()

    def _has_room(self, n_rows: int, n_bytes: int) -> bool:
        return (
            self.n_stored_rows + n_rows <= self._settings.max_rows
            and self.n_stored_bytes + n_bytes <= self._settings.max_result_bytes
        )

    def _counted(self) -> RowCounter:
        counter = RowCounter(_MAX_DISTINCT_DIGESTS)
        for piece in self.pieces:
            counter.add(piece.cells())
        return counter

    def _store(self, cells: list[Cells], n_bytes: int) -> None:
        """Store rows; where none are to be, only say how many there would be: that is in a cut one's name."""
        if self._settings.keep_rows != "none":
            is_large = n_bytes >= _ARROW_FROM_BYTES
            array = _list_array(cells) if is_large else None
            self.pieces.append(Piece([] if is_large else cells, array, len(cells)))
        self.n_stored_rows += len(cells)
        self.n_stored_bytes += n_bytes

    def _store_what_fits(self, cells: list[Cells]) -> None:
        fitting: list[Cells] = []
        n_bytes = 0
        for row in cells:
            n_row_bytes = len(rows_json([row]))
            if not self._has_room(len(fitting) + 1, n_bytes + n_row_bytes):
                break
            fitting.append(row)
            n_bytes += n_row_bytes
        if fitting:
            self._store(fitting, n_bytes)


def _list_array(rows: list[Cells]) -> pa.Array:
    width = len(rows[0])
    offsets = pa.array(range(0, width * len(rows) + 1, width), pa.int32())
    values = pa.array(list(chain.from_iterable(rows)), TEXT)
    return pa.ListArray.from_arrays(offsets, values, type=TEXTS)


def collect(
    session: Session, sql: str, settings: Settings, watch: Watch, must_sign: bool = False
) -> tuple[Result, float]:
    """Run a statement and take in its rows. Gives the result and the seconds spent in the engine.

    Raises TimedOut or what the session raises.
    """
    try:
        return _collect(session, sql, settings, watch, must_sign, as_raw_text=False)
    except NotText:
        session.finish()
        return _collect(session, sql, settings, watch, must_sign, as_raw_text=True)


def _collect(
    session: Session, sql: str, settings: Settings, watch: Watch, must_sign: bool, as_raw_text: bool
) -> tuple[Result, float]:
    started_s = time.perf_counter()
    result = Result(session.execute(sql, as_raw_text), settings, must_sign)
    n_rows = result.next_fetch_rows(0)
    rows = session.fetch(n_rows)
    elapsed_s = time.perf_counter() - started_s
    while rows:
        result.add(rows)
        watch.check()
        n_rows = result.next_fetch_rows(n_rows)
        started_s = time.perf_counter()
        rows = session.fetch(n_rows)
        elapsed_s += time.perf_counter() - started_s
    watch.check()
    return result, elapsed_s
