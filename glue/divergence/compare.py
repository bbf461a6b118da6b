"""Are two results on one instance equal under `ex`: as multisets, in gold's order, ties in any order?

Numbers that differ in the last digits only, as sums in another order do, are no difference here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from glue.cells import Cells

Rows = Sequence[Cells]


@dataclass(frozen=True)
class Order:
    """What gold's order says: the rows it may give with their ranks, and how many it skips and keeps."""

    ranked: Sequence[tuple[int, Cells]]
    n_skipped: int = 0
    n_kept: int | None = None

    @property
    def is_cut_tie(self) -> bool:
        """Does LIMIT or OFFSET cut through rows that are tied?"""
        groups = sorted(Counter(rank for rank, _ in self.ranked).items())
        edges = {self.n_skipped} | ({self.n_skipped + self.n_kept} if self.n_kept is not None else set())
        start = 0
        for _, size in groups:
            if any(start < edge < start + size for edge in edges):
                return True
            start += size
        return False


def rounded(rows: Rows) -> list[Cells]:
    """Rows with every fraction to nine digits."""
    return [tuple(map(_rounded, row)) for row in rows]


def _rounded(cell: str | None) -> str | None:
    if cell is None or not cell.startswith("n:") or not ("." in cell or "e" in cell):
        return cell
    try:
        value = float(cell[2:])
    except ValueError:
        return cell
    if not math.isfinite(value):
        return cell
    value = float(f"{value:.9g}")
    if abs(value) < 1e-9:  # a sum of fractions that should be nothing
        return "n:0"
    return f"n:{int(value)}" if value.is_integer() else f"n:{value!r}"


def are_equal(gold: Rows, other: Rows, is_ordered: bool, order: Order | None) -> bool:
    """Equal under `ex`. Without an `order` an ordered gold is compared row by row."""
    gold, other = rounded(gold), rounded(other)
    if len(gold) != len(other):
        return False
    if order is None:
        return gold == other if is_ordered else Counter(gold) == Counter(other)
    if not is_ordered and Counter(gold) == Counter(other):
        return True
    return _stand_in_order(other, order, is_ordered)


def _stand_in_order(rows: list[Cells], order: Order, is_ordered: bool) -> bool:
    """Does every row stand among those that gold's order allows in its place?"""
    groups: dict[int, list[Cells]] = {}
    shown = rounded([row for _, row in order.ranked])
    for (rank, _), row in zip(order.ranked, shown, strict=True):
        groups.setdefault(rank, []).append(row)
    position = -order.n_skipped
    left = Counter(rows)
    for _, group in sorted(groups.items()):
        start, end = max(position, 0), min(position + len(group), len(rows))
        position += len(group)
        if start >= end:
            continue
        given = Counter(group)
        if is_ordered:
            if Counter(rows[start:end]) - given:
                return False
        else:
            common = left & given
            if common.total() < end - start:
                return False
            left -= common
    return position >= len(rows)
