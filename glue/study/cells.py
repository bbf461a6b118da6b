"""The cells of the budget study by name, as `glue generate --setting` and `glue run --study` choose them.

A cell is a ranker, a representation, a budget, a condition and a naming. Its name joins the first four with
'-'; the bare naming adds '-bare'. What there is stands in the seeds; the model `cells` has the same rows.
"""

from __future__ import annotations

import csv
import fnmatch
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from glue.errors import GlueError, nearest

NAMINGS = ("prefixed", "bare")
_FACTOR_SEEDS = {
    "ranker": "rankers",
    "representation": "representations",
    "budget": "budgets",
    "condition": "conditions",
}
"""Factor -> the seed that has its levels, in a column of the factor's name."""
_WILD = frozenset("*?[")


@dataclass(frozen=True)
class Cell:
    """One cell of the budget study."""

    ranker: str
    representation: str
    budget: str
    condition: str
    naming: str

    @property
    def setting(self) -> str:
        """Its name."""
        parts = [self.ranker, self.representation, self.budget, self.condition]
        return "-".join([*parts, "bare"] if self.naming == "bare" else parts)


@dataclass(frozen=True)
class Grid:
    """Which cells are wanted: for each factor its levels; none given means what the study sweeps."""

    rankers: tuple[str, ...] = ()
    representations: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    namings: tuple[str, ...] = ()


def all_cells(project: Path) -> list[Cell]:
    """Every cell that the seeds allow, in their order."""
    levels = [_levels(project, factor) for factor in _FACTOR_SEEDS]
    return [Cell(*found) for found in itertools.product(*levels, NAMINGS)]


def cells_of(grid: Grid, project: Path) -> list[Cell]:
    """The cells of a grid. Not named: the paper's rankers, all else there is, and the prefixed naming.

    GlueError, with the nearest name, for a level that no seed has.
    """
    known = {factor: _levels(project, factor) for factor in _FACTOR_SEEDS} | {"naming": list(NAMINGS)}
    wanted = {
        "ranker": grid.rankers or _paper_rankers(project),
        "representation": grid.representations or known["representation"],
        "budget": grid.budgets or known["budget"],
        "condition": grid.conditions or known["condition"],
        "naming": grid.namings or ("prefixed",),
    }
    for factor, names in wanted.items():
        for name in names:
            _check_level(factor, name, known[factor])
    chosen = [[name for name in known[factor] if name in wanted[factor]] for factor in known]
    return [Cell(*found) for found in itertools.product(*chosen)]


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern (*, ?, [ab]) fits, in their order; the name itself where it is no pattern."""
    if not is_pattern(pattern):
        return [name for name in names if name == pattern]
    return [name for name in names if fnmatch.fnmatchcase(name, pattern)]


def is_pattern(text: str) -> bool:
    """Whether a text stands for several names."""
    return not _WILD.isdisjoint(text)


def encoders_of(cells: Iterable[Cell], project: Path) -> dict[str, list[str]]:
    """Encoder -> the rankers among these cells that need it; lexical rankers need none."""
    used = {cell.ranker for cell in cells}
    found: dict[str, list[str]] = {}
    for row in _rows(project, "rankers"):
        if row["ranker"] in used and row["encoder"]:
            found.setdefault(row["encoder"], []).append(row["ranker"])
    return found


def _check_level(factor: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        close = nearest(name, list(known))
        hint = f"did you mean {close}?" if close else f"{factor}s: {', '.join(known)}"
        raise GlueError(f"there is no {factor} {name!r}", hint)


def _levels(project: Path, factor: str) -> list[str]:
    return [row[factor] for row in _rows(project, _FACTOR_SEEDS[factor])]


def _paper_rankers(project: Path) -> list[str]:
    return [row["ranker"] for row in _rows(project, "rankers") if row["is_paper"] == "true"]


def _rows(project: Path, seed: str) -> list[dict[str, str]]:
    with (project / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
