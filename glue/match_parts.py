"""What both searches of the matcher share: the bounded count of their work, and checks of their input.

`glue.match_columns` looks for one order of the columns (`ex_permuted`, `ex_projection`), `glue.match_numbers`
for one pairing of the rows (`ex_tolerant`): two questions of the design's section 4 that SQL alone cannot
answer. Both are called from DuckDB, once per pair of results, so they never raise and never run long: their
work is counted, in cells visited, and when the count is used up the outcome is 'undecided', never 'match'.
The count, not a clock, decides, so that an outcome is the same on every machine.

Rows are lists of canonical cells (str, or None for NULL; see `glue.cells`). Every row belongs to a group, a
number that both sides share: a predicted row may only stand for one of gold's rows of the same group. A
group with fewer predicted than gold rows says that gold's LIMIT cut through a tie: any of the tied rows do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

Cell = str | None
Row = Sequence[Cell]

MAX_TRIALS = 10_000
"""Choices tried before a search gives up."""
MAX_WORK = 7_000_000
"""Cells visited before a search gives up: a bit over half a second on a 2026 laptop core."""


class OutOfBudget(Exception):
    """The search used up its trials or its work."""


class Budget:
    """Counts what a call has done, and stops it."""

    def __init__(self) -> None:
        self.n_trials = 0
        self.work = 0

    def spend(self, cells: int) -> None:
        self.work += cells
        if self.work > MAX_WORK:
            raise OutOfBudget

    def try_one(self) -> None:
        if self.n_trials >= MAX_TRIALS:
            raise OutOfBudget
        self.n_trials += 1


def check(is_so: bool, message: str) -> None:
    if not is_so:
        raise ValueError(message)


def width(rows: Sequence[Row]) -> int:
    """The number of columns; every row must have it."""
    widths = set(map(len, rows))
    check(len(widths) <= 1, f"rows of {sorted(widths)} cells in one result")
    return widths.pop() if widths else 0


def check_groups(rows: Sequence[Row], groups: Sequence[int]) -> None:
    check(len(rows) == len(groups), f"{len(rows)} rows and {len(groups)} groups")


def is_contained(part: Counter[Any], whole: Counter[Any]) -> bool:
    return all(count <= whole[key] for key, count in part.items())
