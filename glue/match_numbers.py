"""Do two results match when numbers may differ a little (`ex_tolerant`)?"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from glue.match_parts import Budget, Cell, Row, check_groups, is_contained, width

Number = int | float | Fraction
NumberRow = tuple[Number, ...]


def match_tolerant(
    gold_rows: Sequence[Row],
    predicted_rows: Sequence[Row],
    gold_groups: Sequence[int],
    predicted_groups: Sequence[int],
) -> dict[str, Any]:
    """Looks for a gold row of its own for every predicted row, in its group, with numbers compared loosely.

    Two numbers are equal when |a - b| <= max(1e-9, 1e-6 * max(|a|, |b|)), decided exactly on the decimals as
    written; nan and the infinities equal only themselves, and all other cells only the same cell. Being close
    is not transitive, so that a row may have to give up the nearest partner for another: the pairing is a
    true bipartite matching. Columns stand in the same places on both sides.

    Returns {'outcome': 'match' | 'mismatch' | 'undecided', 'n_trials': rows for which a partner was searched
    by augmenting paths}. Never raises: input that is no table is 'undecided'.
    """
    budget = Budget()
    try:
        is_match = _has_pairing(gold_rows, predicted_rows, gold_groups, predicted_groups, budget)
    except Exception:
        return {"outcome": "undecided", "n_trials": budget.n_trials}
    return {"outcome": "match" if is_match else "mismatch", "n_trials": budget.n_trials}


def _has_pairing(
    gold_rows: Sequence[Row],
    predicted_rows: Sequence[Row],
    gold_groups: Sequence[int],
    predicted_groups: Sequence[int],
    budget: Budget,
) -> bool:
    n_gold_columns, n_predicted_columns = width(gold_rows), width(predicted_rows)
    check_groups(gold_rows, gold_groups)
    check_groups(predicted_rows, predicted_groups)
    if not is_contained(Counter(predicted_groups), Counter(gold_groups)):
        return False
    if not predicted_rows:
        return True
    if n_gold_columns != n_predicted_columns:
        return False
    budget.spend(3 * (len(gold_rows) + len(predicted_rows)) * (n_gold_columns + 1))
    numbers: dict[Cell, Number | None] = {}
    gold = _by_skeleton(gold_rows, gold_groups, numbers)
    predicted = _by_skeleton(predicted_rows, predicted_groups, numbers)
    blocks = [_Block(gold.get(skeleton, []), rows) for skeleton, rows in predicted.items()]
    return all(len(block.predicted) <= len(block.gold) for block in blocks) and all(
        _block_matches(block, budget) for block in blocks
    )


def _by_skeleton(
    rows: Sequence[Row], groups: Sequence[int], numbers: dict[Cell, Number | None]
) -> dict[Hashable, list[NumberRow]]:
    """The numbers of each row, under everything else: its group and its cells with holes for the numbers."""
    found: dict[Hashable, list[NumberRow]] = {}
    for row, group in zip(rows, groups, strict=True):
        skeleton: list[Any] = [group]
        values: list[Number] = []
        for cell in row:
            if cell not in numbers:
                numbers[cell] = _number(cell)
            value = numbers[cell]
            if value is None:
                skeleton.append(cell)
            else:
                skeleton.append(0)
                values.append(value)
        found.setdefault(tuple(skeleton), []).append(tuple(values))
    return found


_LONGEST_NUMBER = 1_000
"""Characters; numbers longer than that are compared as text."""


def _number(cell: Cell) -> Number | None:
    """The value of a finite 'n:…' cell: a whole number as int, a double as float, else the exact fraction."""
    if cell is None or not cell.startswith("n:") or len(cell) > _LONGEST_NUMBER:
        return None
    text = cell[2:]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return None
    if value != value or value in (float("inf"), float("-inf")):
        return None
    if repr(value) == text:
        return value
    return None if "e" in text.lower() else Fraction(text)


_EXACT = 2**53


def is_close(a: Number, b: Number) -> bool:
    """|a - b| <= max(1e-9, 1e-6 * max(|a|, |b|)), by floats where they cannot lie and exactly elsewhere."""
    if a == b:
        return True
    if isinstance(a, int) and isinstance(b, int):
        return abs(a - b) * 1_000_000 <= max(abs(a), abs(b))
    if -_EXACT < a < _EXACT and -_EXACT < b < _EXACT:
        x, y = float(a), float(b)
        tolerance = max(1e-9, 1e-6 * max(abs(x), abs(y)))
        ratio = abs(x - y) / tolerance
        if ratio < 1 - 1e-6:
            return True
        if ratio > 1 + 1e-6:
            return False
    exact_a, exact_b = _fraction(a), _fraction(b)
    difference = abs(exact_a - exact_b)
    return difference * 10**9 <= 1 or difference * 10**6 <= max(abs(exact_a), abs(exact_b))


def _fraction(value: Number) -> Fraction:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


@dataclass
class _Block:
    """Rows of one skeleton: every predicted row needs a gold row of its own, all numbers close."""

    gold: list[NumberRow]
    predicted: list[NumberRow]


def _block_matches(block: _Block, budget: Budget) -> bool:
    """Cuts the block where no pair can be close, and decides the pieces."""
    waiting = [block]
    while waiting:
        piece = waiting.pop()
        if not piece.predicted:
            continue
        if len(piece.predicted) > len(piece.gold):
            return False
        width = len(piece.predicted[0])
        budget.spend((len(piece.gold) + len(piece.predicted)) * (width + 1))
        if is_contained(Counter(piece.predicted), Counter(piece.gold)):
            continue
        parts = next((parts for column in range(width) if len(parts := _cut(piece, column)) > 1), None)
        if parts is not None:
            waiting.extend(parts)
        elif not _piece_matches(piece, budget):
            return False
    return True


def _cut(block: _Block, column: int) -> list[_Block]:
    """Splits where one number column has a gap: nothing below it is close to anything above it."""

    def value(row: NumberRow) -> Number:
        return row[column]

    gold, predicted = sorted(block.gold, key=value), sorted(block.predicted, key=value)
    values = sorted({row[column] for row in gold} | {row[column] for row in predicted})
    cuts = [low for low, high in pairwise(values) if not is_close(low, high)]
    if not cuts:
        return [block]
    parts: list[_Block] = []
    gold_from = predicted_from = 0
    for cut in [*cuts, values[-1]]:
        gold_to = bisect_right(gold, cut, key=value)
        predicted_to = bisect_right(predicted, cut, key=value)
        parts.append(_Block(gold[gold_from:gold_to], predicted[predicted_from:predicted_to]))
        gold_from, predicted_from = gold_to, predicted_to
    return parts


def _piece_matches(block: _Block, budget: Budget) -> bool:
    """A block without gaps: all close, or close in all columns but one, or a matching by augmenting paths."""
    rows = [*block.gold, *block.predicted]
    columns = list(zip(*rows, strict=True))
    loose = [number for number, column in enumerate(columns) if not is_close(min(column), max(column))]
    if not loose:
        return True
    if len(loose) == 1:
        return _matches_in_order(block, loose[0])
    return _matches_by_paths(block, loose, budget)


def _matches_in_order(block: _Block, column: int) -> bool:
    """One number column decides: in ascending order each predicted row takes the lowest gold row still free.

    That finds a matching whenever there is one, for what is close to a number is an interval that moves up
    with the number.
    """
    free = iter(sorted(row[column] for row in block.gold))
    for value in sorted(row[column] for row in block.predicted):
        for gold_value in free:
            if is_close(gold_value, value):
                break
            if gold_value > value:
                return False
        else:
            return False
    return True


def _matches_by_paths(block: _Block, columns: list[int], budget: Budget) -> bool:
    """Bipartite matching: each predicted row takes a free gold row, or makes others move over."""
    pairing = _Pairing(_partners(block, columns, budget), {}, {})
    return all(pairing.make_room(row, budget) for row in range(len(block.predicted)))


def _partners(block: _Block, columns: list[int], budget: Budget) -> list[list[int]]:
    """Per predicted row the gold rows close to it, by their place in order of the first column."""
    first = columns[0]

    def value(row: NumberRow) -> Number:
        return row[first]

    gold = sorted(block.gold, key=value)
    keys = [row[first] for row in gold]
    partners: list[list[int]] = []
    for row in sorted(block.predicted, key=value):
        low, high = _window(keys, row[first])
        budget.spend(8 * len(columns) * (high - low) + 30)
        partners.append(
            [
                place
                for place in range(low, high)
                if all(is_close(gold[place][column], row[column]) for column in columns)
            ]
        )
    return partners


def _window(keys: list[Number], value: Number) -> tuple[int, int]:
    """From which place up to which other the sorted numbers are close to a value."""
    low = bisect_left(keys, True, key=lambda key: key >= value or is_close(key, value))
    high = bisect_left(keys, True, key=lambda key: key > value and not is_close(key, value))
    return low, high


@dataclass
class _Pairing:
    """A bipartite matching that grows by one predicted row at a time."""

    partners: list[list[int]]
    """Per predicted row the places of the gold rows it may take."""
    holder: dict[int, int]
    """Place -> the predicted row that holds it."""
    place_of: dict[int, int]
    """The same the other way round."""

    def make_room(self, start: int, budget: Budget) -> bool:
        """Finds a place for one more row along a shortest augmenting path; False when there is none."""
        budget.try_one()
        found_by: dict[int, int] = {}
        waiting = [start]
        for row in waiting:
            budget.spend(2 * len(self.partners[row]) + 5)
            for place in self.partners[row]:
                if place in found_by:
                    continue
                found_by[place] = row
                if place not in self.holder:
                    self._move_over(place, found_by)
                    return True
                waiting.append(self.holder[place])
        return False

    def _move_over(self, place: int, found_by: dict[int, int]) -> None:
        """Gives a free place to the row that found it, that row's old place to its finder, and so on."""
        next_place: int | None = place
        while next_place is not None:
            row = found_by[next_place]
            old_place = self.place_of.get(row)
            self.holder[next_place], self.place_of[row] = row, next_place
            next_place = old_place
