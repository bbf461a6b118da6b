"""Do two results match when columns may be reordered (`ex_permuted`), or some left out (`ex_projection`)?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from glue.match_parts import Budget, Row, check, check_groups, is_contained, width

KINDS = ("permuted", "projection")
_WORK_PER_SEARCH = 600
_WORK_PER_COLUMN = 30
"""What a step of the search costs, and a look at a column, however few rows there are; in cells visited."""


class _Numbering(dict[Hashable, int]):
    """Numbers things in the order they are first seen, from 0."""

    def __missing__(self, key: Hashable) -> int:
        number = self[key] = len(self)
        return number

    def of_all(self, things: Sequence[Hashable]) -> list[int]:
        """The number of each thing; quicker than one by one where many are equal."""
        for thing in dict.fromkeys(things):
            self[thing]
        return list(map(self.__getitem__, things))


def match_columns(
    gold_rows: Sequence[Row],
    predicted_rows: Sequence[Row],
    gold_groups: Sequence[int],
    predicted_groups: Sequence[int],
    kind: str,
) -> dict[str, Any]:
    """Looks for predicted columns that stand for gold's columns, the same ones in every row.

    `kind` is 'permuted' (as many columns on both sides: Spider's test suite) or 'projection' (the prediction
    may have more columns: the rest is ignored). A mapping is right when in every group the multiset of
    predicted rows, read through it, is contained in the multiset of gold's rows; where a group has the same
    number of rows on both sides they are then equal. How many rows a group should have is the caller's
    business: a prediction without rows is contained in everything, its columns cannot be counted, and gold's
    own are given back.

    Returns {'outcome': 'match' | 'mismatch' | 'undecided', 'mapping': for each gold column the predicted
    column that stands for it, counted from 1, or None without a match, 'n_trials': choices and mappings
    tried}. The same columns in the same places are preferred. Never raises: input that is no table is
    'undecided'.
    """
    budget = Budget()
    try:
        mapping = _find_mapping(gold_rows, predicted_rows, gold_groups, predicted_groups, kind, budget)
    except Exception:
        return {"outcome": "undecided", "mapping": None, "n_trials": budget.n_trials}
    if mapping is None:
        return {"outcome": "mismatch", "mapping": None, "n_trials": budget.n_trials}
    return {
        "outcome": "match",
        "mapping": [position + 1 for position in mapping],
        "n_trials": budget.n_trials,
    }


def _find_mapping(
    gold_rows: Sequence[Row],
    predicted_rows: Sequence[Row],
    gold_groups: Sequence[int],
    predicted_groups: Sequence[int],
    kind: str,
    budget: Budget,
) -> list[int] | None:
    """The predicted column of each gold column (from 0), or None when there is no such mapping."""
    check(kind in KINDS, f"kind is {kind!r}")
    n_gold_columns, n_predicted_columns = width(gold_rows), width(predicted_rows)
    check_groups(gold_rows, gold_groups)
    check_groups(predicted_rows, predicted_groups)
    if not is_contained(Counter(predicted_groups), Counter(gold_groups)):
        return None
    if not predicted_rows:
        return list(range(n_gold_columns))
    if n_gold_columns > n_predicted_columns or (kind == "permuted" and n_gold_columns != n_predicted_columns):
        return None
    budget.spend(len(gold_rows) * n_gold_columns + len(predicted_rows) * n_predicted_columns)
    problem = _Problem.of(gold_rows, predicted_rows, gold_groups, predicted_groups, budget)
    state = problem.start()
    if state is None:
        return None
    if problem.is_possible(state, identity := list(range(n_gold_columns))) and problem.is_right(identity):
        return identity
    if not problem.is_settled(state):
        if not problem.refine(state):
            return None
        problem = problem.narrowed(state)
    return problem.search(state)


@dataclass
class _Table:
    """One side: columns of numbered cells, and each row's group."""

    columns: list[list[int]]
    groups: list[int]
    is_exact: list[bool]
    """Per row: its group has as many rows on both sides."""

    @property
    def n_rows(self) -> int:
        return len(self.groups)

    def only(self, is_kept: list[bool]) -> _Table:
        return _Table(
            [list(compress(column, is_kept)) for column in self.columns],
            list(compress(self.groups, is_kept)),
            list(compress(self.is_exact, is_kept)),
        )


@dataclass
class _State:
    """What is known of a mapping so far.

    A gold column can only map to a predicted column of its own colour, a predicted row only stand for a gold
    row of its own class. Colours and classes are numbers both sides share.
    """

    gold_colours: list[int]
    predicted_colours: list[int]
    gold_classes: list[int]
    predicted_classes: list[int]
    n_classes: int
    mixed: frozenset[int]
    """Colours whose cells already count in the row classes."""

    def copy(self) -> _State:
        return _State(
            list(self.gold_colours),
            list(self.predicted_colours),
            self.gold_classes,
            self.predicted_classes,
            self.n_classes,
            self.mixed,
        )


_UNUSED = -1
"""The colour of predicted columns that no gold column can map to (kind 'projection')."""


class _Problem:
    """Refinement and search: colours split classes, classes split colours; when both rest, a choice is made.

    A signature that is equal for two columns by a collision of hashes only costs time: a column is excluded
    for unequal signatures alone, and a mapping is accepted only after its rows were compared cell by cell.
    """

    def __init__(
        self, gold: _Table, predicted: _Table, twins: list[int], budget: Budget, n_colours: int
    ) -> None:
        self.gold = gold
        self.predicted = predicted
        self.twins = twins
        """Per predicted column: columns equal in every row have the same number, and one of them is tried."""
        self.budget = budget
        self.n_colours = n_colours
        self.has_cut_groups = not all(predicted.is_exact)
        self.gold_rows_counted: Counter[tuple[int, ...]] | None = None

    @classmethod
    def of(
        cls,
        gold_rows: Sequence[Row],
        predicted_rows: Sequence[Row],
        gold_groups: Sequence[int],
        predicted_groups: Sequence[int],
        budget: Budget,
    ) -> _Problem:
        gold_sizes, predicted_sizes = Counter(gold_groups), Counter(predicted_groups)
        group_numbers, cell_numbers = _Numbering(), _Numbering()

        def table(rows: Sequence[Row], groups: Sequence[int]) -> _Table:
            return _Table(
                [cell_numbers.of_all(column) for column in zip(*rows, strict=True)],
                group_numbers.of_all(groups),
                [gold_sizes[group] == predicted_sizes[group] for group in groups],
            )

        gold = table(gold_rows, gold_groups)
        if len(predicted_sizes) < len(gold_sizes):
            gold = gold.only([group in predicted_sizes for group in gold_groups])
        predicted = table(predicted_rows, predicted_groups)
        twins = _Numbering().of_all(list(map(tuple, predicted.columns)))
        return cls(gold, predicted, twins, budget, 1)

    def start(self) -> _State | None:
        """What the columns tell by themselves, group by group; None when no mapping is left."""
        state = _State(
            [0] * len(self.gold.columns),
            [0] * len(self.predicted.columns),
            self.gold.groups,
            self.predicted.groups,
            len(set(self.gold.groups)),
            frozenset(),
        )
        return state if self._split_colours(state) else None

    def is_possible(self, state: _State, mapping: list[int]) -> bool:
        """Nothing known speaks against the mapping."""
        return all(
            colour == state.predicted_colours[position]
            for colour, position in zip(state.gold_colours, mapping, strict=True)
        )

    def is_settled(self, state: _State) -> bool:
        """Every gold column has one candidate left, but for columns equal in every row."""
        kinds = set(zip(state.predicted_colours, self.twins, strict=True))
        return sum(colour != _UNUSED for colour, _ in kinds) == len(set(state.gold_colours))

    def is_right(self, mapping: list[int]) -> bool:
        """The definition itself: per group, the mapped predicted rows are among gold's rows."""
        self.budget.try_one()
        self.budget.spend((self.gold.n_rows + self.predicted.n_rows) * (len(mapping) + 1))
        if self.gold_rows_counted is None:
            self.gold_rows_counted = Counter(zip(self.gold.groups, *self.gold.columns, strict=True))
        columns = [self.predicted.columns[position] for position in mapping]
        predicted_rows = Counter(zip(self.predicted.groups, *columns, strict=True))
        return is_contained(predicted_rows, self.gold_rows_counted)

    # refinement

    def refine(self, state: _State) -> bool:
        """Draws every conclusion from colours and classes; False when no mapping is left."""
        while True:
            n_classes = state.n_classes
            if not self._split_classes(state):
                return False
            if state.n_classes == n_classes:
                return True
            n_colours = self.n_colours
            if not self._split_colours(state):
                return False
            if self.n_colours == n_colours:
                return True

    def _split_colours(self, state: _State) -> bool:
        """Columns keep a common colour while their cells agree, class by class, as multisets."""
        gold_sizes, predicted_sizes = Counter(state.gold_colours), Counter(state.predicted_colours)
        for colour, n_gold in gold_sizes.items():
            n_predicted = predicted_sizes[colour]
            if n_predicted < n_gold:
                return False
            if n_predicted == 1 and colour in state.mixed:
                continue
            if not self._split_colour(state, colour):
                return False
        return True

    def _split_colour(self, state: _State, colour: int) -> bool:
        gold_members = _positions(state.gold_colours, colour)
        predicted_members = _positions(state.predicted_colours, colour)
        gold_signatures = self._signatures(self.gold, state.gold_classes, gold_members)
        predicted_signatures = self._signatures(self.predicted, state.predicted_classes, predicted_members)
        gold_counts, predicted_counts = Counter(gold_signatures), Counter(predicted_signatures)
        if any(count > predicted_counts[signature] for signature, count in gold_counts.items()):
            return False
        if len(gold_counts) == 1 and len(predicted_counts) == 1:
            return True
        colours = {signature: self.n_colours + number for number, signature in enumerate(gold_counts)}
        self.n_colours += len(colours)
        for position, signature in zip(gold_members, gold_signatures, strict=True):
            state.gold_colours[position] = colours[signature]
        for position, signature in zip(predicted_members, predicted_signatures, strict=True):
            state.predicted_colours[position] = colours.get(signature, _UNUSED)
        return True

    def _signatures(self, table: _Table, classes: list[int], members: list[int]) -> list[int]:
        """Per column a number that depends on its multiset of (class, cell) alone, over the exact groups."""
        self.budget.spend((table.n_rows + _WORK_PER_COLUMN) * len(members))
        if self.has_cut_groups:
            classes = list(compress(classes, table.is_exact))
            columns: Iterable[Iterable[int]] = (
                compress(table.columns[member], table.is_exact) for member in members
            )
        else:
            columns = (table.columns[member] for member in members)
        return [sum(map(hash, zip(classes, column, strict=True))) for column in columns]

    def _split_classes(self, state: _State) -> bool:
        """Rows keep a common class while they agree, as multisets, in the cells of every colour used up."""
        gold_sizes, predicted_sizes = Counter(state.gold_colours), Counter(state.predicted_colours)
        for colour, n_gold in gold_sizes.items():
            if colour in state.mixed or predicted_sizes[colour] != n_gold:
                continue
            state.mixed |= {colour}
            numbers = _Numbering()
            classes = [
                self._mix(numbers, self.gold, state.gold_classes, _positions(state.gold_colours, colour)),
                self._mix(
                    numbers,
                    self.predicted,
                    state.predicted_classes,
                    _positions(state.predicted_colours, colour),
                ),
            ]
            state.gold_classes, state.predicted_classes = classes
            state.n_classes = len(numbers)
            if not is_contained(Counter(state.predicted_classes), Counter(state.gold_classes)):
                return False
        return True

    def _mix(self, numbers: _Numbering, table: _Table, classes: list[int], members: list[int]) -> list[int]:
        """New row classes: the old one and the multiset of the members' cells."""
        self.budget.spend((table.n_rows + _WORK_PER_COLUMN) * (len(members) + 1))
        if len(members) == 1:
            return [numbers[key] for key in zip(classes, table.columns[members[0]], strict=True)]
        cells = zip(*(table.columns[member] for member in members), strict=True)
        return [numbers[row_class, *sorted(row)] for row_class, row in zip(classes, cells, strict=True)]

    def narrowed(self, state: _State) -> _Problem:
        """The same problem without the tied gold rows that no predicted row can stand for any more."""
        if not self.has_cut_groups:
            return self
        self.budget.spend(self.gold.n_rows)
        reachable = set(state.predicted_classes)
        is_kept = [row_class in reachable for row_class in state.gold_classes]
        if 2 * sum(is_kept) > len(is_kept):
            return self
        self.budget.spend(self.gold.n_rows * len(self.gold.columns))
        state.gold_classes = list(compress(state.gold_classes, is_kept))
        state.n_classes = len(reachable)
        return _Problem(self.gold.only(is_kept), self.predicted, self.twins, self.budget, self.n_colours)

    # search

    def search(self, state: _State) -> list[int] | None:
        """A right mapping among those the refined state allows, or None: most constrained column first."""
        self.budget.spend(_WORK_PER_SEARCH + _WORK_PER_COLUMN * len(self.predicted.columns))
        candidates = self._candidates(state)
        n_kinds = [len({self.twins[position] for position in positions}) for positions in candidates]
        if 0 in n_kinds:
            return None
        if max(n_kinds, default=1) == 1:
            return self._assign(candidates)
        for column, colour in enumerate(state.gold_colours):
            if n_kinds[column] == 1 and colour not in state.mixed:
                return self._choose(state, column, candidates[column][0])
        column = min((column for column, n in enumerate(n_kinds) if n > 1), key=n_kinds.__getitem__)
        tried: set[int] = set()
        for position in sorted(candidates[column], key=lambda candidate: candidate != column):
            if self.twins[position] in tried:
                continue
            tried.add(self.twins[position])
            self.budget.try_one()
            mapping = self._choose(state, column, position)
            if mapping is not None:
                return mapping
        return None

    def _choose(self, state: _State, column: int, position: int) -> list[int] | None:
        """Searches on with one column settled: a colour of its own for it and for what it maps to."""
        chosen = state.copy()
        chosen.gold_colours[column] = chosen.predicted_colours[position] = self.n_colours
        self.n_colours += 1
        return self.narrowed(chosen).search(chosen) if self.refine(chosen) else None

    def _candidates(self, state: _State) -> list[list[int]]:
        """Per gold column the predicted columns it may map to."""
        by_colour = {
            colour: _positions(state.predicted_colours, colour) for colour in set(state.gold_colours)
        }
        candidates = [by_colour[colour] for colour in state.gold_colours]
        if self.has_cut_groups:
            return [
                self._contained(state, column, positions) if len(positions) > 1 else positions
                for column, positions in enumerate(candidates)
            ]
        return candidates

    def _contained(self, state: _State, column: int, positions: list[int]) -> list[int]:
        """Of these predicted columns, those whose cells, class by class, are among the gold column's."""
        self.budget.spend(self.gold.n_rows + (self.predicted.n_rows + _WORK_PER_COLUMN) * len(positions))
        whole = Counter(zip(state.gold_classes, self.gold.columns[column], strict=True))
        return [
            position
            for position in positions
            if is_contained(
                Counter(zip(state.predicted_classes, self.predicted.columns[position], strict=True)), whole
            )
        ]

    def _assign(self, candidates: list[list[int]]) -> list[int] | None:
        """Every gold column has one kind of candidate left: hands out equal columns in turn, then checks."""
        mapping: list[int] = []
        taken: set[int] = set()
        for positions in candidates:
            free = next((position for position in positions if position not in taken), None)
            if free is None:
                return None
            taken.add(free)
            mapping.append(free)
        return mapping if self.is_right(mapping) else None


def _positions(colours: list[int], colour: int) -> list[int]:
    return [position for position, other in enumerate(colours) if other == colour]
